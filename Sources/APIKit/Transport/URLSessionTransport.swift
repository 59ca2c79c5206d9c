import Foundation

/// A transport over a URL session, with a redirect policy.
///
/// On Apple platforms the tasks of the session load the requests, and on Linux those of its sibling.
/// A ``Load`` receives the events on both. It replaces the system's async functions: on Linux they can
/// block every session of the process when a task is canceled as it completes
/// (https://github.com/swiftlang/swift-corelibs-foundation/issues/5412).
struct URLSessionTransport: HTTPTransport, Hashable {
    let session: URLSession
    var redirects: RedirectPolicy
    /// The directory for temporary copies of forms with files, or `nil` for the system's.
    var temporaryDirectory: URL?
    /// The maker of the tasks, found once because finding it on Linux is slow.
    let tasks: TaskMaker

    init(
        session: URLSession, redirects: RedirectPolicy = .follow, temporaryDirectory: URL? = nil
    ) {
        (self.session, self.redirects) = (session, redirects)
        self.temporaryDirectory = temporaryDirectory
        tasks = session.taskMaker
    }

    static func == (first: Self, second: Self) -> Bool {
        first.session === second.session && first.redirects == second.redirects
    }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(session)) }

    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try await Load(request, by: self).whole()
    }

    func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        try await Load(request, by: self, streams: true).head()
    }

    /// Returns the additional header fields of the session and the cookies of its storage.
    func addedFields(for request: URLRequest) -> [(name: String, value: String)] {
        let configuration = session.configuration
        let fields = configuration.additionalFields(for: request)
        guard let cookies = configuration.cookies(for: request) else { return fields }
        let pairs = cookies.components(separatedBy: "; ").sorted()
        return fields + [("Cookie", pairs.joined(separator: "; "))]
    }

    func upload(
        _ request: URLRequest,
        from body: HTTPBody,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> (Data, URLResponse) {
        if !body.isRepeatable { return try await upload(request, once: body, progress) }
        let (source, copy, size) = try await Blocking.run { checkCancellation in
            let (source, copy) = try body.uploadSource(
                in: temporaryDirectory ?? FileManager.default.temporaryDirectory,
                checkCancellation: checkCancellation)
            return (source, copy, try source.length())
        }
        let upload = Upload(source: source, retained: copy, size: size) { count in
            progress(TransferProgress(completedBytes: min(count, size), totalBytes: size))
        }
        do {
            return try await upload.end(of: Load(request, by: self, upload))
        } catch let error as URLError {
            // The system does not report that a file has become shorter.
            try await Blocking.run { _ in
                if case .file(let url) = source, try source.length() < size {
                    throw APIError(shortened: url)
                }
            }
            throw error
        }
    }

    /// Uploads a body that can be read only once.
    private func upload(
        _ request: URLRequest, once body: HTTPBody,
        _ progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> (Data, URLResponse) {
        // Refuses a request that cannot be sent before its body is used up.
        _ = try Load(request, by: self)
        let (stream, length, write) = try await session.open(body, for: request)
        var request = request
        request.setBody(stream, length: length)
        let upload = Upload(source: nil, retained: write, size: length) { count in
            progress(TransferProgress(completedBytes: count, totalBytes: length))
        }
        let load = try Load(request, by: self, upload)
        let writer = Task {
            do { try await write() } catch { load.stop(throwing: error) }
        }
        defer { writer.cancel() }
        return try await upload.end(of: load)
    }

    /// The body of an upload, and the closure that receives its progress.
    struct Upload: Sendable {
        /// The source, or `nil` for a body that can be read only once, which the request has.
        let source: HTTPBody.Piece?
        /// A temporary file, or the writer of a stream, which lives until the task ends.
        var retained: (any Sendable)?
        let size: Int?
        /// Receives the number of bytes that the session has sent so far.
        let didSend: @Sendable (Int) -> Void

        /// Sets the body of a request that the session does not upload itself.
        func attach(to request: inout URLRequest) {
            switch source {
            case .data(let data): request.httpBody = data
            case .file: request.setBody(newStream(), length: size)
            case nil: break
            }
        }

        /// Loads the response, and reports the whole size if the server has read it.
        func end(of load: Load) async throws -> (Data, URLResponse) {
            let result = try await load.whole()
            // Only a 2xx means that the server has read the whole body.
            if let size, let http = result.1 as? HTTPURLResponse,
                (200..<300).contains(http.statusCode)
            {
                didSend(size)
            }
            return result
        }
    }
}

extension HTTPTransport {
    /// The transport for a client to keep, which has found once what it needs of a session.
    var prepared: any HTTPTransport {
        (self as? URLSession).map { URLSessionTransport(session: $0) } ?? self
    }
}

extension URLSession: HTTPTransport {
    /// Sends a request with a data task.
    ///
    /// Canceling the calling task throws `CancellationError` and closes the connection.
    ///
    /// A redirect to another origin is followed without credentials, as described at
    /// ``RedirectPolicy/follow``. The session's delegate decides last, so credentials that it sets
    /// are sent.
    ///
    /// The session's delegate does not receive the body or the completion of the task.
    ///
    /// Cancel the calls of a session before you invalidate it. On Apple platforms, a call that starts an
    /// attempt in an invalidated session raises an exception that ends the app.
    ///
    /// On Linux another session loads the request. It has the same protocols, cookies and timeouts,
    /// but does not use the `URLCache` of this session. Use ``ETagCache`` instead. The delegate of this
    /// session decides about redirects and challenges, and receives no other events. Invalidating this
    /// session has no effect on its calls, so cancel their tasks.
    ///
    /// - Throws: A `URLError`, `CancellationError`, or an ``APIError`` of kind
    ///   ``APIError/Kind/invalidRequest(_:)`` for a background session, or for a method or a header
    ///   field that is not valid.
    public func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try await URLSessionTransport(session: self).send(request)
    }

    /// Sends a request with a data task, and returns the body as it arrives.
    ///
    /// The session's delegate does not receive the body or the completion of the task.
    ///
    /// - Throws: The same errors as ``send(_:)``.
    public func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        try await URLSessionTransport(session: self).stream(request)
    }

    /// Sends a request with a body from memory, or from a file that is read in chunks.
    ///
    /// A form with files is first written to a temporary file, so that the request states its size.
    ///
    /// - Throws: The same errors as ``send(_:)``, and an ``APIError`` of kind
    ///   ``APIError/Kind/file(_:)`` for a file that cannot be read.
    public func upload(
        _ request: URLRequest,
        from body: HTTPBody,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> (Data, URLResponse) {
        try await URLSessionTransport(session: self)
            .upload(request, from: body, progress: progress)
    }

    /// Returns a transport over this session with a redirect policy.
    ///
    /// ```swift
    /// let client = APIClient(
    ///     baseURL: url, transport: URLSession.shared.redirecting(.sameOrigin))
    /// ```
    public func redirecting(_ policy: RedirectPolicy) -> some HTTPTransport {
        URLSessionTransport(session: self, redirects: policy)
    }
}

extension TimeInterval {
    /// The default of `timeoutIntervalForResource`.
    package static let week: TimeInterval = 604_800

    /// The shortest timeout that means none.
    static let year: TimeInterval = 31_536_000

    /// The timeout as a limit, or `nil` for the system's default, zero, and none.
    package func limit(unless standard: TimeInterval) -> Duration? {
        self != standard && self > 0 && self < .year ? .seconds(self) : nil
    }
}

extension URLSessionConfiguration {
    /// A copy of the configuration.
    package var duplicate: URLSessionConfiguration {
        copy() as? URLSessionConfiguration ?? self
    }

    /// Returns the value of `Cookie` for a request, or `nil` if the storage has no cookie for it.
    package func cookies(for request: URLRequest) -> String? {
        guard request.httpShouldHandleCookies, httpShouldSetCookies, let url = request.url,
            let cookies = httpCookieStorage?.cookies(sentTo: url)
        else { return nil }
        return HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
    }

    /// Stores the cookies that the `Set-Cookie` of a response to a request contains.
    package func storeCookies(_ field: String, after request: URLRequest) {
        guard request.httpShouldHandleCookies, httpCookieAcceptPolicy != .never,
            let url = request.url
        else { return }
        httpCookieStorage?.store(field, from: url)
    }

    /// Sets the additional header fields that a request does not set itself.
    package func addFields(to request: inout URLRequest) {
        for (name, value) in additionalFields(for: request) {
            request.setValue(value, forHTTPHeaderField: name)
        }
    }

    /// Returns the additional header fields that a request does not set itself.
    func additionalFields(for request: URLRequest) -> [(name: String, value: String)] {
        (httpAdditionalHeaders ?? [:]).compactMap { name, value in
            request.value(forHTTPHeaderField: "\(name)") == nil ? ("\(name)", "\(value)") : nil
        }
    }
}
