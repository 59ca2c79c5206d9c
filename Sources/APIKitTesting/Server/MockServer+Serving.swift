import APIKit
import Foundation

/// How a server plays its reply to a request.
enum Service {
    /// The events of a plain reply.
    case events([LoadingEvent])
    /// A reply that takes time, has side effects or redirects.
    case exchange(Exchange)
}

extension MockServer {
    /// Serves a request: decides the reply, records both, and plays a plain reply.
    ///
    /// Every request of a client arrives here. An ``Exchange`` asks only for the replies after its
    /// redirects.
    func serve(_ request: RecordedRequest, on connection: Exchange.Connection) -> Service {
        var request = request
        let (reply, origin) = reply(to: &request)
        // The progress of an upload takes time.
        let events =
            connection.report == nil
            ? reply.immediateEvents(for: request) { try state.check($0, on: connection) } : nil
        record(&request, events ?? [], from: origin)
        if let events { return .events(events) }
        return .exchange(Exchange(of: request, reply, on: connection, with: self))
    }

    /// Adds a request with the first events of its response to the journal.
    func record(
        _ request: inout RecordedRequest, _ events: [LoadingEvent] = [],
        from origin: (any RecordedExchange.Origin)?
    ) {
        let reached = state.withLock { state in
            request.number = state.journal.count
            state.unread.insert(request.number)
            let isWhole = origin != nil && !(origin is MockRoute)
            state.journal.append(
                RecordedExchange(
                    startedAt: Date(), request: request,
                    response: RecordedResponse(events, isWhole: isWhole), origin: origin))
            // Update the count under the lock, so that it never decreases.
            return arrivals.update(state.journal.count)
        }
        for waiter in reached { waiter.answer(.success(())) }
    }

    /// Returns the reply of the last route that serves a request, and where it comes from.
    ///
    /// Without such a route, the source of the server replies.
    ///
    /// - Parameters:
    ///   - request: The request, which receives its path parameters.
    ///   - isFromNetwork: Whether the request follows a redirect of the real network. The network
    ///     then responds if no route does.
    /// - Returns: The reply, and the route that has it or what records the response of the network.
    func reply(
        to request: inout RecordedRequest, isFromNetwork: Bool = false
    ) -> (Reply, (any RecordedExchange.Origin)?) {
        let (candidates, source) = state.withLock {
            ($0.index.candidates(for: request.pathSegments), $0.source)
        }
        let compared = ComparedRequest(request)
        // Matching calls user closures, so do not hold a lock here.
        for route in candidates {
            guard let parameters = route.pattern.match(compared) else { continue }
            request.parameters = parameters
            if route.isForbidding {
                let advice = """
                    The route \(route.name) forbids this request by times: 0. Remove the request, \
                    or change the times.
                    """
                return (miss(of: request, source, advice), nil)
            }
            if let reply = route.claim(request) { return (reply, route) }
            request.parameters = [:]
        }
        return source?.reply(to: request)
            ?? (unhandledReply(to: request, isFromNetwork: isFromNetwork), nil)
    }

    private func unhandledReply(to request: RecordedRequest, isFromNetwork: Bool) -> Reply {
        if isFromNetwork { return .response(.passthrough) }
        if case .reply(let response) = unhandled { return .response(response) }
        var (routes, source) = state.withLock { ($0.routes, $0.source) }
        routes.removeAll(where: \.isRemoved)
        let problems = routes.compactMap { route in
            route.pattern.problem.map { TestFailure(invalidRoute: $0, at: route.location) }
        }
        let mistakes = LimitedList(problems) { "\($0)" }
        guard mistakes.count == 0 else {
            let advice = "This request may belong to an invalid route. Correct that first:"
            return miss(
                of: request, source, advice + mistakes.lines(noun: "invalid route"),
                failsTest: false)
        }
        let other = scope?.route(for: request, besides: self)
        let advice = UnhandledAdvice(request: request, routes: routes, source: source, other: other)
        return miss(of: request, source, advice.text)
    }

    /// Adds the failure of an unhandled request, and returns its error as the reply.
    ///
    /// The failure of an invalid route already fails the test, at the line of the route.
    private func miss(
        of request: RecordedRequest, _ source: (any ReplySource)?, _ advice: String,
        failsTest: Bool = true
    ) -> Reply {
        // A source may mask further secrets.
        func masked(_ text: String) -> String { source?.masked(text) ?? text }
        let body = request.shownBody.map { "\n  body: \(masked($0))" } ?? ""
        let origin = request.redirectSource.map { " (redirected from \(masked($0)))" } ?? ""
        let heading = "Unhandled request: \(masked("\(request)"))\(origin)".shortened(to: 500)
        let failure = TestFailure("\(heading)\(body)\n\(advice)", at: nil)
        if failsTest { state.withLock { $0.add(failure) } }
        let message = failure.message + (hint.map { "\n\($0)" } ?? "")
        return .response(.failure(UnhandledRequestError(request: request, description: message)))
    }
}

extension Locked<MockServer.State> {
    /// Fails the test, and returns the failure for the client.
    func refusal(_ text: String) -> TestFailure {
        let failure = TestFailure(text, at: nil)
        withLock { $0.add(failure) }
        return failure
    }

    /// Fails the test if a connection cannot show a response.
    ///
    /// The loading system would decode its body, which a mock does not do.
    func check(_ response: MockResponse, on connection: Exchange.Connection) throws {
        if let check = connection.check { return try check(response) }
        guard response.isEncoded == true else { return }
        throw refusal(
            """
            A client of a session receives the decoded body, but the bytes of this response are \
            encoded, as its Content-Encoding says. Reply with the decoded body.
            """)
    }
}
