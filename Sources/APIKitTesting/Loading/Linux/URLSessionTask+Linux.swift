import APIKit
import Foundation

#if canImport(FoundationNetworking)

extension URLSessionTask {
    /// The session that made the task.
    var loadingSession: URLSession? { Reflection.property("session", of: self) as? URLSession }

    /// Returns the session for calls of delegates: the task's, or else the one that the mock server made.
    ///
    /// They differ if the app made its session from a copy of the configuration.
    func delegatingSession(or session: URLSession?) -> URLSession? { loadingSession ?? session }
}

#endif
