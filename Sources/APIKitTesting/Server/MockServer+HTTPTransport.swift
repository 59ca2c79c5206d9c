import APIKit
import Foundation

extension MockServer: HTTPTransport {
    /// Responds to a request from the server's routes, without a URL session.
    ///
    /// Delays, timeouts and redirects work as in a session. Only cookies need a session.
    ///
    /// - Throws: The error of the route, ``UnhandledRequestError``, or `CancellationError`.
    public func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        let (body, response) = try await stream(request, nil)
        return (try await body.data(), response)
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
        let (received, response) = try await stream(request) { step in
            progress(
                TransferProgress(completedBytes: step.totalBytesSent, totalBytes: data.count))
        }
        let result = (try await received.data(), response)
        if data.isEmpty { progress(TransferProgress(completedBytes: 0, totalBytes: 0)) }
        return result
    }

    /// Responds to a request from the server's routes, without a URL session, chunk by chunk.
    ///
    /// - Throws: The same errors as ``send(_:)``.
    public func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        try await stream(request, nil)
    }

    /// Returns no fields, because only a session adds cookies.
    public func addedFields(for request: URLRequest) -> [String: String]? { [:] }

    private func stream(
        _ request: URLRequest, _ report: UploadStep.Report?
    ) async throws -> (ByteStream, URLResponse) {
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
        switch serve(recorded, on: connection) {
        case .events(let events): receive(events)
        case .exchange(let exchange):
            let task = Task {
                do {
                    try await exchange.play(to: receive)
                } catch {
                    receive([.failed(error)])
                }
            }
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
