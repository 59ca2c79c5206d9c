import Foundation

#if !canImport(FoundationNetworking) || APIKIT_APPLE_LOADER

/// The delegate of one task, which decides about redirects and reports the progress of an upload.
///
/// The system passes every event that this class does not implement to the delegate of the session.
/// https://developer.apple.com/documentation/foundation/urlsessiontask/delegate
///
/// An installed mock passes a stand-in session, so this class forwards the transport's session.
class TaskDelegate: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    private let transport: URLSessionTransport
    private let origin: Origin
    private let sent: Locked<URLRequest>
    private let didSend: (@Sendable (Int) -> Void)?

    init(
        for request: URLRequest, _ upload: URLSessionTransport.Upload? = nil,
        of transport: URLSessionTransport
    ) {
        self.transport = transport
        didSend = upload?.didSend
        origin = Origin(request.url)
        sent = Locked(request)
    }

    /// The delegate of the session, for the events that this class implements.
    private var sessionDelegate: (any URLSessionTaskDelegate)? {
        transport.session.delegate as? any URLSessionTaskDelegate
    }

    /// Whether a closure or a delegate receives the progress of sending the body.
    var reportsProgress: Bool { didSend != nil || sessionDelegate != nil }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let session = transport.session
        let headers = session.configuration.httpAdditionalHeaders ?? [:]
        let fields = headers.keys.map { "\($0)" }
        let follow: @Sendable (URLRequest?) -> Void = { [origin, sent] next in
            var next = next
            if Origin(next?.url) != origin { next?.hideCredentials(fields) }
            if let next { sent.withLock { $0 = next } }
            completionHandler(next)
        }
        let previous = sent.withLock { $0 }
        guard let next = Redirect.checked(request, after: response, to: previous),
            transport.redirects.allows(next, after: response)
        else { return follow(nil) }
        task.ask([sessionDelegate], of: session, toFollow: next, after: response, decide: follow)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        didSend?(Int(clamping: totalBytesSent))
        task.report(
            bytesSent: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend, to: [sessionDelegate],
            of: transport.session)
    }
}

extension URLRequest {
    /// Sets the secret header fields of the session to empty values.
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
