import APIKit
import Foundation

extension MockServer {
    /// The session for the code under test.
    ///
    /// It is ephemeral, has no cache, and has separate cookies. Each access returns the same session.
    /// The session does not retain the server: keep the server while the session is in use.
    public var session: URLSession {
        if let session = state.withLock({ $0.session }) { return session }
        let session = makeSession()
        return state.withLock { state in
            if let first = state.session { return first }
            state.session = session
            return session
        }
    }

    /// Returns a new session whose requests go to the server.
    ///
    /// The session has no cache. It does not retain the server: keep the server while the session is
    /// in use. On Apple platforms a session retains its delegate until it is invalidated.
    ///
    /// - Parameters:
    ///   - configuration: The configuration, which is copied.
    ///   - delegate: The delegate of the session.
    ///   - delegateQueue: The queue for the delegate and for completion handlers.
    /// - Returns: The session.
    public func makeSession(
        configuration: URLSessionConfiguration = .ephemeral,
        delegate: (any URLSessionDelegate)? = nil,
        delegateQueue: OperationQueue? = nil
    ) -> URLSession {
        let configuration = configuration.duplicate
        let scope = addScope(to: configuration)
        let session = URLSession(
            configuration: configuration, delegate: delegate, delegateQueue: delegateQueue)
        Scope.setSession(session, of: scope)
        return session
    }

    /// Sends all requests of sessions with this configuration, or a copy of it, to the server.
    ///
    /// Use it for code that makes its own session. The server reads the session's additional header
    /// fields and cookies from this object, so do not change them in a copy. This method removes the
    /// cache from the configuration. The responses of a mock are not cached, and on Linux a session
    /// with a cache can crash the process when a task is canceled.
    ///
    /// Sessions do not retain the server: keep the server while they are in use.
    ///
    /// - Important: Set `protocolClasses` before you call this method. A later assignment removes the
    ///   server, and requests then reach the network.
    ///
    /// On Apple platforms a task does not reveal its session. There the server asks only the task's
    /// delegate about a redirect, reports the progress of an upload only to it, and passes it another
    /// session. The policy of `redirecting(_:)` still applies. If the session's delegate uses either,
    /// use ``makeSession(configuration:delegate:delegateQueue:)``.
    public func install(in configuration: URLSessionConfiguration) {
        _ = addScope(to: configuration)
    }

    private func addScope(to configuration: URLSessionConfiguration) -> MockURLProtocol.Type {
        FileLimit.raise()
        configuration.urlCache = nil
        let scope = Scope.makeClass(for: self, configuration: configuration)
        configuration.protocolClasses = [scope] + (configuration.protocolClasses ?? [])
        state.withLock { $0.scopes.append(ObjectIdentifier(scope)) }
        return scope
    }
}
