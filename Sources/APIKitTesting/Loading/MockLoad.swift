import APIKit
import Foundation

/// One load by a mock protocol: from the request to what is delivered.
struct MockLoad: Sendable {
    private let request: URLRequest
    private let type: MockURLProtocol.Type

    init(_ request: URLRequest, by type: MockURLProtocol.Type) {
        self.request = request
        self.type = type
    }

    /// Answers the request.
    ///
    /// - Parameters:
    ///   - body: The body of the request.
    ///   - delivery: The way back.
    ///   - isLoading: Whether this is the thread of the loading system, so that what is known at
    ///     once can be delivered at once.
    func start(body: Data, on delivery: Delivery, isLoading: Bool) {
        func deliver(_ events: [LoadingEvent]) {
            if isLoading { delivery.deliver(events) } else { delivery.send(events) }
        }
        guard let url = request.url else { return deliver([.failed(URLError(.badURL))]) }
        guard type != MockURLProtocol.self else {
            return callHandler(body: body, url: url, on: delivery)
        }
        guard let scope = ScopeRegistry.scope(of: type), let server = scope.server else {
            return deliver([.failed(MockServerIsGone(url: url))])
        }
        let recorded = RecordedRequest(
            request, url: url, body: body,
            additionalHeaders: scope.configuration.additionalHeaders)
        let clock = server.clock
        switch server.answer(recorded) {
        case .reply(let response):
            if let events = response.immediateEvents(for: recorded) { return deliver(events) }
            delivery.run { try await response.play(for: recorded, on: clock, to: delivery.send) }
        case .respond(let respond):
            delivery.run(in: server.state.withLock { $0.context }) {
                try await respond().play(for: recorded, on: clock, to: delivery.send)
            }
        case .fail(let error):
            deliver([.failed(error)])
        }
    }

    private func callHandler(body: Data, url: URL, on delivery: Delivery) {
        guard let handler = MockURLProtocol.requestHandler else {
            return delivery.send([.failed(MissingRequestHandler(url: url))])
        }
        var request = request
        if !body.isEmpty { request.httpBody = body }
        delivery.run { [request] in
            let (response, data) = try handler(request)
            let head = Platform.isBare(response) ? HTTPURLResponse(ok: url) : response
            delivery.send([.response(head ?? response), .data(data), .finished])
        }
    }
}

extension HTTPURLResponse {
    fileprivate convenience init?(ok url: URL) {
        self.init(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)
    }
}
