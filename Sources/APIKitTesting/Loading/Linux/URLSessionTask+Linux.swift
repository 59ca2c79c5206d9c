import APIKit
import Foundation

#if canImport(FoundationNetworking)

extension URLSessionTask {
    /// The session that made the task.
    var loadingSession: URLSession? { Reflection.property("session", of: self) as? URLSession }

    /// Returns the session that delegates receive: the task's, or else that of the mock server.
    ///
    /// They differ if the app made its session from a copy of the configuration.
    func delegatingSession(or session: URLSession?) -> URLSession? { loadingSession ?? session }
}

#endif
