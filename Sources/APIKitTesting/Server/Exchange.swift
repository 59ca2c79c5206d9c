import APIKit
import Foundation

/// One exchange with a client: a request, all redirects, and the last response.
///
/// It does not retain the server, because the test may end with the response, before the task of the
/// exchange ends.
struct Exchange: Sendable {
    /// The connection that a request arrives on: of a session, or of a caller of the server.
    struct Connection: Sendable {
        /// The configuration of the session, if there is one.
        let configuration: URLSessionConfiguration?
        let network: Network
        /// Returns the next request of a redirect, or `nil` if the redirect is the response.
        let redirect: @Sendable (HTTPURLResponse, URLRequest) async -> URLRequest?
        /// Reports a step of sending the body, if a delegate or a caller receives the progress.
        let report: UploadStep.Report?
        /// Whether the client is the loading system, which follows redirects.
        var isSystem = true
        /// Receives the response, and throws if the connection cannot show it.
        ///
        /// It is `nil` for a client that receives decoded bodies, such as a session.
        var check: (@Sendable (MockResponse) throws -> Void)?
    }

    private let first: RecordedRequest
    private let reply: Reply
    private let connection: Connection
    private let clock: any Clock<Duration>
    private weak var server: MockServer?
    // The journal records the exchange to its end, even if the server is released.
    private let state: Locked<MockServer.State>

    init(
        of request: RecordedRequest, _ reply: Reply, on connection: Connection,
        with server: MockServer
    ) {
        first = request
        self.reply = reply
        self.connection = connection
        self.server = server
        clock = server.clock
        state = server.state
    }

    /// Plays the exchange to a session, in a task.
    ///
    /// If the server is released before the end, the load of the session fails.
    func start(on delivery: Delivery) {
        state.withLock { $0.deliveries[first.number] = delivery }
        delivery.run {
            defer { state.withLock { $0.deliveries[first.number] = nil } }
            await play { delivery.send($0) }
        }
    }

    /// Plays the reply, follows its redirects, and passes on the events of the last response.
    ///
    /// The last event of an exchange that fails is the error, which is `CancellationError` if the task is
    /// canceled.
    ///
    /// - Parameter receive: Receives the events.
    func play(to receive: @Sendable ([LoadingEvent]) -> Void) async {
        // A local constant, because Swift 6.3 does not open the existential of a stored property here.
        let clock = clock
        await play(on: clock, to: receive)
    }

    private func play(
        on clock: some Clock<Duration>, to receive: @Sendable ([LoadingEvent]) -> Void
    ) async {
        let start = clock.now
        var (request, reply, numbers) = (first, reply, [first.number])
        do {
            while true {
                let cookies = connection.configuration?.cookies(for: request.urlRequest)
                var playback = Playback(
                    of: request, on: clock, since: start, in: connection.configuration)
                let response = try await response(of: reply, to: request, in: &playback)
                guard let (head, target) = try response.redirect(of: request, connection),
                    var next = await follow(head, to: target, after: request)
                else {
                    do {
                        return try await playback.play(response) { [numbers] events in
                            record(events, of: numbers)
                            receive(events)
                        }
                    } catch let failure as TestFailure {
                        // A stream cannot be read again.
                        if case .stream = response.content { state.withLock { $0.add(failure) } }
                        throw failure
                    }
                }
                guard numbers.count <= Redirect.limit, let url = next.url else {
                    throw URLError(.httpTooManyRedirects, failing: request.url)
                }
                // The load of a session has noted it, and is not in this task.
                CallAttempt.current?.follow(next, after: head, to: request.urlRequest)
                connection.configuration?.updateCookies(of: &next, insteadOf: cookies)
                guard let server else { throw MockLoadingError.serverIsGone(url) }
                // Add no field of the configuration here: the redirect has already kept or removed
                // each of them.
                let previous = request
                request = RecordedRequest(next, url: url, body: next.httpBody ?? Data())
                request.redirectSource = previous.target
                request.apiRequest = previous.apiRequest
                let origin: (any RecordedExchange.Origin)?
                (reply, origin) = server.reply(
                    to: &request, isFromNetwork: response.receivedHead != nil)
                server.record(&request, from: origin)
                numbers.append(request.number)
            }
        } catch {
            record([.failed(error)], of: numbers)
            receive([.failed(error)])
        }
    }

    /// Plays the upload of a request and the delay of its reply, and returns the response.
    ///
    /// A passthrough loads the response from the network.
    private func response<PlaybackClock>(
        of reply: Reply, to request: RecordedRequest, in playback: inout Playback<PlaybackClock>
    ) async throws -> MockResponse {
        var response: MockResponse
        switch reply {
        case .response(let scripted):
            try state.check(scripted, on: connection)
            try await playback.upload(to: scripted, connection.report)
            response = scripted
        case .responder(let respond):
            try await playback.upload(connection.report)
            response = try await playback.wait { try await respond(request) }
            try state.check(response, on: connection)
        }
        response = response.selected(for: request)
        try await playback.sleep(for: response.delay)
        if case .passthrough = response.content {
            (response.content, response.receivedHead) = try await playback.wait {
                [network = connection.network] in try await network.send(request.urlRequest)
            }
            response.isDecoded = true
            try state.check(response, on: connection)
        } else {
            for cookie in response.cookies {
                connection.configuration?.storeCookies(cookie, after: request.urlRequest)
            }
        }
        return response
    }

    /// Records a redirect, and returns the request that follows it, if it is followed.
    private func follow(
        _ head: HTTPURLResponse, to target: URLRequest, after request: RecordedRequest
    ) async -> URLRequest? {
        state.withLock { $0.journal[request.number].response.add([.response(head), .finished]) }
        return await connection.redirect(head, target)
    }

    /// Records events of the last response.
    ///
    /// Call it before the client receives the events, because the test may end with the last event.
    private func record(_ events: [LoadingEvent], of numbers: [Int]) {
        state.withLock { state in
            let last = numbers[numbers.count - 1]
            state.journal[last].response.add(events)
            let hasLoaded: Bool
            switch events.last {
            case .finished?: hasLoaded = true
            case .failed?: hasLoaded = state.journal[last].response.isEndedStream
            default: return
            }
            for number in numbers { state.journal[number].hasLoaded = hasLoaded }
        }
    }
}

extension MockResponse {
    /// Returns the head and the next request of a redirect, or `nil` for any other response.
    fileprivate func redirect(
        of request: RecordedRequest, _ connection: Exchange.Connection
    ) throws -> (HTTPURLResponse, URLRequest)? {
        guard receivedHead != nil || headers["Location"] != nil else { return nil }
        let head = try head(for: request)
        guard var next = Redirect.request(after: head, to: request.urlRequest) else { return nil }
        if connection.isSystem, !LoadingClient.seesCutRedirects, case .body(let body) = content,
            let truncation, truncation < self.body(body, for: request).count
        {
            throw URLError(.networkConnectionLost, failing: request.url)
        }
        // The delegate may replace the body.
        next.setValue(nil, forHTTPHeaderField: "Content-Length")
        return (head, next)
    }
}
