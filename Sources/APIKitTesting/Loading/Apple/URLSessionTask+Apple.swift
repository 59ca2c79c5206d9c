import Foundation

#if !canImport(FoundationNetworking)

extension URLSessionTask {
    /// Returns the session for calls of delegates: the one that the mock server made, or a stand-in.
    ///
    /// A task does not reveal its session.
    func delegatingSession(or session: URLSession?) -> URLSession? { session ?? standIn }
}

// The session that a delegate receives if the task's own is unknown. It loads nothing.
private let standIn = URLSession(configuration: .ephemeral)

#endif
