import APIKit
import Foundation

extension MockServer: BareTransport {
    /// Answers a request without a URL session, by the same routes.
    ///
    /// Delays, timeouts and redirects are those of a session; only cookies need a real one.
    ///
    /// - Throws: What the route fails with, ``UnhandledRequestError``, or `CancellationError`.
    public func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        let result = Locked<(response: HTTPURLResponse?, body: Data)>((nil, Data()))
        try await play(request) { event in
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

    /// Answers a request without a URL session, by the same routes, chunk by chunk.
    ///
    /// - Throws: The same errors as ``send(_:)``.
    public func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        try Task.checkCancellation()
        let load = StreamedLoad { load in
            try await self.play(request, to: load.receive)
        }
        return (ByteStream(load), try await load.response)
    }

    /// Plays the answer to a request.
    private func play(
        _ request: URLRequest, to receive: @escaping @Sendable (LoadingEvent) -> Void
    ) async throws {
        try Task.checkCancellation()
        guard let url = request.url else { throw URLError(.badURL) }
        let exchange = Exchange(
            answer: { self.answer($0) }, clock: clock, configuration: nil,
            redirect: { _, next in next })
        let recorded = exchange.record(
            request, url: url, body: try await RequestBody(of: request).read())
        try await exchange.run(answer(recorded), to: request, recorded: recorded) { events in
            events.forEach(receive)
        }
    }
}
