import APIKit
import Foundation

extension MockServer: HTTPTransport {
    /// Responds to a request from the server's routes, without a URL session.
    ///
    /// Delays, timeouts and redirects work as in a session. Cookies and the settings of a
    /// configuration need a session.
    ///
    /// - Throws: The error of the route, ``UnhandledRequestError``, or `CancellationError`.
    public func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try await load(request, nil)
    }

    /// Responds to a request with a separate body, without a URL session, and reports the progress.
    ///
    /// The progress has the same steps as in a session.
    ///
    /// - Throws: The same errors as ``send(_:)``, and an error of kind `file` for a file that cannot
    ///   be read.
    public func upload(
        _ request: URLRequest,
        from body: HTTPBody,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> (Data, URLResponse) {
        var request = request
        let data = try await body.collected()
        request.httpBody = data
        if let oneTime = body.oneTime {
            request.setBody(InputStream(data: data), length: oneTime.length)
        }
        let length = body.oneTime.map(\.length) ?? data.count
        let result = try await load(request) { step in
            progress(TransferProgress(completedBytes: step.totalBytesSent, totalBytes: length))
        }
        if data.isEmpty { progress(TransferProgress(completedBytes: 0, totalBytes: length)) }
        return result
    }

    /// Responds to a request from the server's routes, without a URL session, chunk by chunk.
    ///
    /// - Throws: The same errors as ``send(_:)``.
    public func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        try await stream(serve(request, nil))
    }

    private func load(
        _ request: URLRequest, _ report: UploadStep.Report?
    ) async throws -> (Data, URLResponse) {
        let service = try await serve(request, report)
        guard case .events(let events) = service else {
            let (stream, response) = try await stream(service)
            let call = CallAttempt.current?.context
            var body = Data()
            for try await chunk in stream {
                body += chunk
                if call?.isEnough(body.count, of: response) == true { break }
            }
            return (body, response)
        }
        var (body, head) = (Data(), nil as URLResponse?)
        for event in events {
            switch event {
            case .response(let response): head = response
            case .body(let data), .chunk(let data): body = body.isEmpty ? data : body + data
            case .finished: break
            case .failed(let error): throw error
            }
        }
        guard let head else { throw URLError(.badServerResponse) }
        return (body, head)
    }

    private func serve(
        _ request: URLRequest, _ report: UploadStep.Report?
    ) async throws -> Service {
        try Task.checkCancellation()
        guard let url = request.url else { throw URLError(.badURL) }
        let body = RequestBody(of: request)
        var data = body.data
        if data == nil { data = try await body.read() }
        var recorded = RecordedRequest(body.framed(request), url: url, body: data ?? Data())
        recorded.apiRequest = CallAttempt.current?.context.apiRequest
        let connection = Exchange.Connection(
            configuration: nil, network: .withoutCookies,
            redirect: { _, next in
                // As in a session, a stream that has been read is not sent again.
                request.httpBodyStream == nil || next.method == .get ? next : nil
            },
            report: report)
        return serve(recorded, on: connection)
    }

    /// Returns the response of a service, with the body as it arrives.
    private func stream(_ service: Service) async throws -> (ByteStream, URLResponse) {
        let (head, chunks) = (Waiter<URLResponse>(), ChunkBuffer())
        let stream = ByteStream(chunks)
        let receive = { @Sendable (events: [LoadingEvent]) in
            for event in events {
                switch event {
                case .response(let response): head.answer(.success(response))
                case .body(let data), .chunk(let data): chunks.append(data)
                case .finished: chunks.finish(.success(()))
                case .failed(let error):
                    chunks.finish(.failure(error))
                    head.answer(.failure(error))
                }
            }
        }
        switch service {
        case .events(let events): receive(events)
        case .exchange(let exchange):
            let task = Task { await exchange.play(to: receive) }
            stream.onEnd { _ in task.cancel() }
        }
        let response = try await head.wait {
            // Set the result before canceling the task, because canceled work sends an error too.
            head.answer(.failure(CancellationError()))
            stream.cancel()
        }
        return (stream, response)
    }
}
