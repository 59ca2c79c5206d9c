import APIKit
import Foundation

extension MockServer {
    /// The session to give to the code under test: ephemeral, without a cache, with cookies of its
    /// own, and the same one each time.
    ///
    /// It does not retain the server, which has to be kept while the session is in use.
    public var session: URLSession {
        if let session = state.withLock({ $0.session }) { return session }
        let session = makeSession()
        return state.withLock { state in
            if let first = state.session { return first }
            state.session = session
            return session
        }
    }

    /// Returns a new session that the server answers.
    ///
    /// It has no cache, and it does not retain the server, which has to be kept while the session is
    /// in use. On Apple platforms a session retains its delegate until it is invalidated.
    ///
    /// - Parameters:
    ///   - configuration: The configuration, which is copied; ephemeral if left out.
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
        ScopeRegistry.setSession(session, of: scope)
        return session
    }

    /// Makes the server answer every session that is made from a configuration, or from a copy.
    ///
    /// For code that makes its own session. What the session adds to its requests, headers and
    /// cookies, is read from this object, so a copy should not be given others. The cache is removed
    /// from the configuration: no response of a mock comes from one, and on Linux a session with a
    /// cache can end the process when a task is cancelled.
    ///
    /// Sessions do not retain the server: keep it while they are in use.
    ///
    /// On Apple platforms a task does not reveal its session. There a redirect asks only the delegate
    /// of the task, with another session as the argument. The policy of `redirecting(_:)` is such a
    /// delegate and applies. If the delegate of the session matters, use
    /// ``makeSession(configuration:delegate:delegateQueue:)``.
    public func install(in configuration: URLSessionConfiguration) {
        _ = addScope(to: configuration)
    }

    private func addScope(to configuration: URLSessionConfiguration) -> MockURLProtocol.Type {
        FileLimit.raise()
        configuration.urlCache = nil
        let scope = ScopeRegistry.makeScope(for: self, configuration: configuration)
        configuration.protocolClasses = [scope] + (configuration.protocolClasses ?? [])
        state.withLock { $0.scopes.append(ObjectIdentifier(scope)) }
        return scope
    }
}
