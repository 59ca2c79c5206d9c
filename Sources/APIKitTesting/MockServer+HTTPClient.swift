import APIKit
import Foundation

extension MockServer: HTTPClient {
    /// Answers a request without a URL session, by the same routes.
    ///
    /// - Throws: What the route fails with, ``UnhandledRequest``, or `CancellationError`.
    public func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try Task.checkCancellation()
        guard let url = request.url else { throw URLError(.badURL) }
        let body = try RequestBody(of: request).read()
        let recorded = RecordedRequest(request, url: url, body: body)
        let response: MockResponse
        switch answer(recorded) {
        case .reply(let reply): response = reply
        case .respond(let respond): response = try await respond()
        case .fail(let error): throw error
        }
        var events: [LoadingEvent] = []
        try await response.play(for: recorded, on: clock) { events += $0 }
        return try await events.result()
    }
}

extension [LoadingEvent] {
    /// Returns what the events amount to, or waits for the cancellation of a load that never ends.
    fileprivate func result() async throws -> (Data, URLResponse) {
        var response: URLResponse?
        var body = Data()
        for event in self {
            switch event {
            case .response(let head):
                response = head
            case .data(let data):
                body += data
            case .failed(let error):
                throw error
            case .finished:
                if let response { return (body, response) }
            }
        }
        let (never, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in never {}
        continuation.finish()
        throw CancellationError()
    }
}
