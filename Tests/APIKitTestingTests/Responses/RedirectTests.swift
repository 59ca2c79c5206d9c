import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct RedirectTests {
    let server = MockServer.current

    // The system reports a redirect only after its body.
    #if canImport(FoundationNetworking)
    @Test func redirectWhoseBodyIsCutFailsAsOverHTTP() async throws {
        let moved = LoopbackServer.head(303, ["Location: /end", "Content-Length: 5"]) + "mov"
        let real = try LoopbackServer { _ in moved }
        server.on(
            .path("/start"),
            reply: .text("moved", status: 303).header("Location", "/end").truncated(after: 3),
            times: 2)
        let start = URLRequest.make("GET", "/start")

        for (client, request) in [
            (URLSession.shared, URLRequest(url: real.url("/start"))), (server.session, start),
            (server, start),
        ] as [(any HTTPTransport, URLRequest)] {
            let error = await #expect(throws: URLError.self) { try await client.send(request) }
            #expect(error?.code == .networkConnectionLost)
            #expect(error?.failingURL == request.url)
        }
    }
    #endif

    @Test func redirectToAnUnknownPathIsUnhandled() async throws {
        let server = MockServer(unhandled: .reply(.status(404)))
        server.on(.path("/start"), reply: .redirect(to: "/nowhere"))

        #expect(try await server.session.status(.make("GET", "/start")) == 404)
    }

    // The session's delegate decides even if the task has a delegate without the method.
    @Test func redirectRefusedByTheDelegateOfTheSessionIsReturned() async throws {
        final class UndecidedDelegate: NSObject, URLSessionTaskDelegate {}
        server.on(.path("/start"), reply: .redirect(to: "/end"))
        let session = server.makeSession(delegate: RedirectDelegate { _, _ in nil })

        for taskDelegate in [nil, UndecidedDelegate()] {
            let (_, response) = try await session.data(
                for: .make("GET", "/start"), delegate: taskDelegate)

            #expect((response as? HTTPURLResponse)?.statusCode == 302)
        }
        #expect(server.requests.count == 2)
    }

    #if canImport(FoundationNetworking)
    @Test func delegateOfTheLoadingSessionDecides() async throws {
        server.on(.path("/start"), reply: .redirect(to: "/end"))
        server.on(.path("/end"), reply: .status(204))
        let call = Locked<(session: URLSession, queue: OperationQueue?)?>(nil)
        let delegate = RedirectDelegate { session, request in
            call.withLock { $0 = (session, OperationQueue.current) }
            return request
        }
        let queue = OperationQueue()
        let session = URLSession(
            configuration: server.session.configuration, delegate: delegate, delegateQueue: queue)

        _ = try await session.data(for: .make("GET", "/start"))

        #expect(call.withLock { $0?.session } === session)
        #expect(call.withLock { $0?.queue } === queue)
    }
    #endif

    @Test(arguments: [false, true])
    func redirectIsDelayed(withURLSession: Bool) async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(.path("/start"), reply: .redirect(to: "/end").delayed(.seconds(1)))
        server.on(.path("/end"), reply: .text("there").delayed(.seconds(1)))
        let client: any HTTPTransport = withURLSession ? server.session : server

        async let text = client.text("/start")
        await clock.waitForSleepers()
        #expect(server.requests.count == 1)
        clock.advance(by: .seconds(1))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))

        #expect(try await text == "there")
    }

    // The loading system may release the protocol before the decision. A delivery must not retain
    // it, because only the thread of the protocol may release the last reference.
    @Test func redirectIsDecidedWithoutItsProtocol() async throws {
        let (session, request) = (server.session, URLRequest.make("GET", "/end"))
        let response = try #require(
            HTTPURLResponse(
                url: .make("/start"), statusCode: 302, httpVersion: nil, headerFields: nil))
        let delivery = Delivery(
            for: MockURLProtocol(
                task: session.dataTask(with: .make("GET", "/start")), cachedResponse: nil,
                client: nil))

        #expect(await delivery.redirect(after: response, to: request, in: session) == request)
    }
}

/// A delegate that decides about redirects with a closure.
private final class RedirectDelegate: NSObject, URLSessionTaskDelegate {
    private let decide: @Sendable (URLSession, URLRequest) -> URLRequest?

    init(_ decide: @escaping @Sendable (URLSession, URLRequest) -> URLRequest?) {
        self.decide = decide
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(decide(session, request))
    }
}
