import Foundation

#if !canImport(FoundationNetworking)

extension URLSessionTask {
    /// Returns the session for a redirect: the one that the mock server made, or a stand-in.
    ///
    /// A task does not reveal its session.
    func redirectingSession(or session: URLSession?) -> URLSession? { session ?? standIn }
}

// The session that a delegate receives if the task's own is unknown. It loads nothing.
private let standIn = URLSession(configuration: .ephemeral)

#endif
