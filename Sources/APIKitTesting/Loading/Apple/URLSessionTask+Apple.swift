import Foundation

#if !canImport(FoundationNetworking)

extension URLSessionTask {
    /// Returns the session that delegates receive: that of the mock server, or a stand-in.
    ///
    /// A task does not reveal its session.
    func delegatingSession(or session: URLSession?) -> URLSession? { session ?? standIn }
}

// The session that a delegate receives if the task's own is unknown. It loads nothing.
private let standIn = URLSession(configuration: .ephemeral)

#endif
