import APIKit
import Foundation

/// One load by a mock protocol, from the request to the events of its response.
struct MockLoad: Sendable {
    private let request: URLRequest
    private let type: MockURLProtocol.Type

    init(_ request: URLRequest, by type: MockURLProtocol.Type) {
        self.request = request
        self.type = type
    }

    /// Starts to answer the request.
    ///
    /// - Parameters:
    ///   - body: The body of the request.
    ///   - delivery: Receives the events.
    ///   - isOnLoadingThread: Whether the caller is on the loading thread, where an immediate
    ///     response needs no other thread.
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

    /// Asks the server, and returns an immediate response, or `nil` if the response takes time.
    ///
    /// The load does not retain the server, because the test may end with the response.
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
        // A server that is released before the load is registered would not end it.
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
            return delivery.run { try await MissingHandler.fail(url) }
        }
        var request = request
        if !body.isEmpty { request.httpBody = body }
        // The handler may block, and on Linux all sessions share the loading thread.
        DispatchQueue.global().async { [request] in
            do {
                let (response, data) = try handler(request)
                let head = response.isBare ? HTTPURLResponse(ok: url) : response
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
