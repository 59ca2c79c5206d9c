import APIKit
import Foundation

extension MockServer: HTTPTransport {
    /// Responds to a request from the server's routes, without a URL session.
    ///
    /// Delays, timeouts and redirects work as in a session. Only cookies need a session.
    ///
    /// - Throws: The error of the route, ``UnhandledRequestError``, or `CancellationError`.
    public func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try await send(request, nil)
    }

    private func send(
        _ request: URLRequest, _ report: UploadStep.Report?
    ) async throws -> (Data, URLResponse) {
        let result = Locked<(response: HTTPURLResponse?, body: Data)>((nil, Data()))
        try await play(request, report: report) { event in
            result.withLock { result in
                switch event {
                case .response(let response): result.response = response
                case .body(let data), .chunk(let data): result.body += data
                case .finished, .failed: break
                }
            }
        }
        let (response, body) = result.withLock { $0 }
        guard let response else { throw URLError(.badServerResponse) }
        return (body, response)
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
        let data = try await Blocking.run { _ in try body.data() }
        request.httpBody = data
        let result = try await send(request) { step in
            progress(
                TransferProgress(completedBytes: step.totalBytesSent, totalBytes: data.count))
        }
        if data.isEmpty { progress(TransferProgress(completedBytes: 0, totalBytes: 0)) }
        return result
    }

    /// Responds to a request from the server's routes, without a URL session, chunk by chunk.
    ///
    /// - Throws: The same errors as ``send(_:)``.
    public func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        try Task.checkCancellation()
        let (head, chunks) = (Waiter<URLResponse>(), ChunkBuffer())
        let task = Task {
            let end = await Result.of {
                try await play(request) { event in
                    switch event {
                    case .response(let response): head.answer(.success(response))
                    case .body(let data), .chunk(let data): chunks.append(data)
                    case .finished, .failed: break
                    }
                }
            }
            chunks.finish(end)
            head.answer(end.flatMap { .failure(URLError(.badServerResponse)) })
        }
        let response = try await head.wait {
            // Set the result before canceling the task, because canceled work sends an error too.
            head.answer(.failure(CancellationError()))
            task.cancel()
        }
        let stream = ByteStream(chunks)
        stream.onEnd { _ in task.cancel() }
        return (stream, response)
    }

    /// Returns no fields, because only a session adds cookies.
    public func addedFields(for request: URLRequest) -> [String: String]? { [:] }

    /// Plays the reply to a request.
    ///
    /// The closure receives the events in order, except a failure, which the function throws.
    private func play(
        _ request: URLRequest, report: UploadStep.Report? = nil,
        to receive: @escaping @Sendable (LoadingEvent) -> Void
    ) async throws {
        try Task.checkCancellation()
        guard let url = request.url else { throw URLError(.badURL) }
        let body = RequestBody(of: request)
        let recorded = RecordedRequest(body.framed(request), url: url, body: try await body.read())
        let connection = Exchange.Connection(
            configuration: nil, network: .withoutCookies,
            redirect: { _, next in
                // As in a session, a stream that has been read is not sent again.
                request.httpBodyStream == nil || next.method == .get ? next : nil
            },
            report: report)
        switch serve(recorded, on: connection) {
        case .events(let events):
            for event in events {
                if case .failed(let error) = event { throw error }
                receive(event)
            }
        case .exchange(let exchange):
            try await exchange.play { $0.forEach(receive) }
        }
    }
}
