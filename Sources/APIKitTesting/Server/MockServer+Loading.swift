import APIKit
import Foundation

extension MockServer: ScopeServer {
    func load(
        _ request: URLRequest, url: URL, body: Data, in scope: Scope, on delivery: Delivery
    ) throws -> [LoadingEvent]? {
        let configuration = scope.configuration
        var recorded = RecordedRequest(
            request, url: url, body: body,
            additionalHeaders: configuration.additionalHeaders(for: request))
        let reply = reply(to: &recorded)
        let report = body.isEmpty ? nil : delivery.progressReport(in: scope.session)
        if report == nil, let events = try reply.immediateEvents(for: recorded) { return events }
        // Does not retain the server, because the test may end with the response, before the task of
        // the load ends.
        let log = LoadLog(of: self, from: recorded)
        let exchange = Exchange(
            reply: log.reply,
            configuration: configuration,
            network: scope.network.load,
            redirect: { [weak session = scope.session] response, next in
                log.addRedirect(response)
                return await delivery.redirect(after: response, to: next, in: session)
            },
            report: report)
        let id = loads.add(delivery, url: url)
        delivery.run { [recorded, clock, loads] in
            defer { loads.remove(id) }
            try await log.run {
                try await exchange.play(reply, to: request, recorded: recorded, on: clock) {
                    log.add($0)
                    delivery.send($0)
                }
            }
        }
        return nil
    }

    /// Returns the reply to a request, and records both.
    ///
    /// - Parameters:
    ///   - request: The request, which receives its path parameters and its number.
    ///   - isFromNetwork: Whether the request follows a redirect of the real network. The network
    ///     then responds if no route does.
    /// - Returns: The reply.
    func reply(to request: inout RecordedRequest, isFromNetwork: Bool = false) -> Reply {
        let (reply, tape) =
            claimedReply(to: &request)
            ?? (unhandledReply(to: request, isFromNetwork: isFromNetwork), nil)
        let reached = state.withLock { state in
            request.number = state.journal.count
            state.unread.append(request.number)
            state.journal.append(request)
            state.played.append(PlayedResponse(of: reply, recordedBy: tape))
            // Updated under the lock, so that the count never decreases.
            return arrivals.update(state.journal.count)
        }
        for waiter in reached { waiter.answer(.success(())) }
        return reply
    }

    /// Returns the reply of the last route that serves a request, and sets its path parameters.
    ///
    /// Without such a route, a cassette replies. A tape that records the reply is returned too.
    private func claimedReply(to request: inout RecordedRequest) -> (Reply, Tape?)? {
        let (candidates, tapes) = state.withLock {
            ($0.index.candidates(for: request.pathSegments), $0.tapes)
        }
        // The patterns of several routes may compare the JSON body.
        let isOnlyOne = candidates.joined().dropFirst().isEmpty
        let matched = isOnlyOne ? request : request.decodingOnce
        // Patterns run the closures of users, so no lock is held here.
        for route in LastFirst(candidates) {
            guard let parameters = route.pattern.match(matched) else { continue }
            request.parameters = parameters
            if route.isForbidding {
                let report = UnhandledReport(request, forbiddenBy: route, tapes: tapes)
                return (miss(of: request, report), nil)
            }
            if let reply = route.claim(request) { return (reply, nil) }
            request.parameters = [:]
        }
        return tapes.isEmpty ? nil : self.reply(to: request, from: tapes)
    }

    private func unhandledReply(to request: RecordedRequest, isFromNetwork: Bool) -> Reply {
        if isFromNetwork { return .response(.passthrough) }
        switch unhandled {
        case .fail:
            let (routes, tapes) = state.withLock { ($0.routes, $0.tapes) }
            let other = scope?.route(for: request, besides: self)
            return miss(
                of: request,
                UnhandledReport(request, routes: routes, tapes: tapes, ofAnotherServer: other))
        case .passthrough: return .response(.passthrough)
        case .reply(let response): return .response(response)
        }
    }

    /// Records the failure of an unhandled request, and returns its error as the reply.
    private func miss(of request: RecordedRequest, _ report: UnhandledReport) -> Reply {
        let failure = report.failure
        // The failure of an invalid route already fails the test, at the line of the route.
        if !report.namesInvalidRoute { state.withLock { $0.add(failure) } }
        let message = failure.message + (hint.map { "\n\($0)" } ?? "")
        return .response(.failure(UnhandledRequestError(request: request, message: message)))
    }
}

/// A server's loads in progress, which fail when the server is released.
final class PendingLoads: Sendable {
    private struct State {
        var loads: [Int: (delivery: Delivery, url: URL)] = [:]
        var nextID = 0
    }

    private let state = Locked(State())

    /// Adds a load, and returns the identifier that removes it.
    func add(_ delivery: Delivery, url: URL) -> Int {
        state.withLock { state in
            state.nextID += 1
            state.loads[state.nextID] = (delivery, url)
            return state.nextID
        }
    }

    func remove(_ id: Int) {
        state.withLock { _ = $0.loads.removeValue(forKey: id) }
    }

    /// Fails all loads with the error for a released server.
    func failAll() {
        let loads = state.withLock { $0.loads.values.map { $0 } }
        for load in loads { load.delivery.fail(with: MockLoadingError.serverIsGone(load.url)) }
    }
}
