import Foundation

#if !canImport(FoundationNetworking) || APIKIT_APPLE_LOADER

/// The delegate of one task, which decides about redirects.
///
/// The system passes every event that this class does not implement to the delegate of the session.
/// https://developer.apple.com/documentation/foundation/urlsessiontask/delegate
class TaskDelegate: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    private let session: URLSession
    private let policy: RedirectPolicy
    private let origin: Origin
    private let sent: Locked<URLRequest>

    init(for request: URLRequest, of session: URLSession, redirects policy: RedirectPolicy) {
        self.session = session
        self.policy = policy
        origin = Origin(request.url)
        sent = Locked(request)
    }

    /// The delegate of the session, for the events that it does not receive by itself.
    var sessionDelegate: (any URLSessionTaskDelegate)? {
        session.delegate as? any URLSessionTaskDelegate
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let headers = self.session.configuration.httpAdditionalHeaders ?? [:]
        let fields = headers.keys.map { "\($0)" }
        let follow: @Sendable (URLRequest?) -> Void = { [origin, sent] next in
            var next = next
            if Origin(next?.url) != origin { next?.hideCredentials(fields) }
            if let next { sent.withLock { $0 = next } }
            completionHandler(next)
        }
        let previous = sent.withLock { $0 }
        guard let next = Redirect.checked(request, after: response, to: previous),
            policy.allows(next, after: response)
        else { return follow(nil) }
        // Not the argument: a mock that is installed in a configuration knows only a stand-in.
        let isAsked: Void? = sessionDelegate?.urlSession?(
            self.session, task: task, willPerformHTTPRedirection: response, newRequest: next,
            completionHandler: follow)
        if isAsked == nil { follow(next) }
    }
}

extension URLRequest {
    /// Empties the secret header fields that the session would add to the request.
    ///
    /// The session adds its header fields to every request that does not set them.
    fileprivate mutating func hideCredentials(_ fields: [String]) {
        for name in fields
        where Redaction.hidesHeader(name) && value(forHTTPHeaderField: name) == nil {
            setValue("", forHTTPHeaderField: name)
        }
    }
}

#endif
