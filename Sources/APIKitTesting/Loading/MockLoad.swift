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
    ///   - isOnLoadingThread: Whether this is the thread of the loading system, so that what is
    ///     known at once can be delivered at once.
    func start(body: Data, on delivery: Delivery, isOnLoadingThread: Bool) {
        func deliver(_ events: [LoadingEvent]) {
            if isOnLoadingThread { delivery.deliver(events) } else { delivery.send(events) }
        }
        guard let url = request.url else { return deliver([.failed(URLError(.badURL))]) }
        guard type is any ScopedProtocol.Type else {
            return callHandler(body: body, url: url, on: delivery)
        }
        if let events = ask(url, body: body, on: delivery) { deliver(events) }
    }

    /// Asks the server, and returns what is known at once, or `nil` if an answer is under way.
    ///
    /// Nothing holds the server after that: with what is delivered, its test may end.
    private func ask(_ url: URL, body: Data, on delivery: Delivery) -> [LoadingEvent]? {
        guard let scope = ScopeRegistry.scope(of: type), let server = scope.server else {
            return [.failed(MockLoadingError.serverIsGone(url))]
        }
        let exchange = Exchange(
            answer: { [weak server] request in
                server?.answer(request) ?? .fail(MockLoadingError.serverIsGone(request.url))
            },
            clock: server.clock, configuration: scope.configuration,
            redirect: { [weak session = scope.session] response, next in
                await delivery.redirect(after: response, to: next, in: session)
            })
        let recorded = exchange.record(request, url: url, body: body)
        let answer = server.answer(recorded)
        do {
            if case .reply(let response) = answer,
                let events = try response.immediateEvents(for: recorded)
            {
                return events
            }
        } catch {
            return [.failed(error)]
        }
        // A server that went before the load is under way would not end it.
        withExtendedLifetime(server) {
            let loads = server.loads
            let id = loads.add(delivery, url: url)
            delivery.run { [request] in
                defer { loads.remove(id) }
                try await exchange.run(
                    answer, to: request, recorded: recorded, receive: delivery.send)
            }
        }
        return nil
    }

    private func callHandler(body: Data, url: URL, on delivery: Delivery) {
        guard let handler = MockURLProtocol.requestHandler else {
            return delivery.send([.failed(MockLoadingError.noHandler(for: url))])
        }
        var request = request
        if !body.isEmpty { request.httpBody = body }
        // The handler may wait for whatever it likes, and this is the thread of all sessions.
        DispatchQueue.global().async { [request] in
            do {
                let (response, data) = try handler(request)
                let head = Platform.isBare(response) ? HTTPURLResponse(ok: url) : response
                delivery.send([.response(head ?? response), .body(data), .finished])
            } catch {
                delivery.send([.failed(error)])
            }
        }
    }
}

extension HTTPURLResponse {
    fileprivate convenience init?(ok url: URL) {
        self.init(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)
    }
}
