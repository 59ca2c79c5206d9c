import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct RedirectTests {
    let server = MockServer.current

    @Test(arguments: [
        ("next", "/a/next"), ("/b", "/b"), ("?page=2", "/a/start?page=2"),
        ("https://api.example.com/c", "/c"),
    ])
    func clientFollowsARedirectToItsLocation(location: String, end: String) async throws {
        for client in [server.session, server] as [any HTTPTransport] {
            server.on(.any) { .text($0.url.absoluteString) }
            server.on(.get("/a/start"), reply: .redirect(to: location), times: .once)

            let (data, response) = try await client.send(.make("GET", "/a/start"))

            #expect(response.url == URL.make(end))
            #expect(String(decoding: data, as: UTF8.self) == URL.make(end).absoluteString)
        }
        #expect(server.requests.map(\.url) == ["/a/start", end, "/a/start", end].map(URL.make))
    }

    @Test(arguments: [false, true], [(303, 204), (307, 307)])
    func redirectNeverSendsAStreamAgain(
        withURLSession: Bool, example: (redirect: Int, final: Int)
    ) async throws {
        server.on(.path("/start"), reply: .redirect(to: "/end", status: example.redirect))
        server.on(.path("/end"), reply: .status(204), times: .anyNumber)
        let client: any HTTPTransport = withURLSession ? server.session : server
        var request = URLRequest.make("POST", "/start")
        request.httpBodyStream = InputStream(data: Data("body".utf8))

        #expect(try await client.status(request) == example.final)
    }

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

    @Test func redirectKeepsTheBodyOfAnUpload() async throws {
        server.on(.path("/start"), reply: .redirect(to: "/end", status: 307))
        let end = server.on(.path("/end").body("body"), reply: .status(201))

        let (_, response) = try await server.session.upload(
            for: .make("POST", "/start"), from: Data("body".utf8))

        #expect((response as? HTTPURLResponse)?.statusCode == 201)
        #expect(end.requests.count == 1)
    }

    @Test(arguments: [
        ("https://api.example.com/end", true), ("https://other.example.com/end", false),
        ("https://api.example.com:8443/end", false),
    ])
    func redirectKeepsCredentialsOnlyAtTheSameOrigin(location: String, isSame: Bool) async throws {
        server.on(.path("/start"), reply: .redirect(to: location))
        let end = server.on(.path("/end"), reply: .status(200))
        let headers = ["Authorization": "Bearer t", "Cookie": "a=b", "Proxy-Authorization": "p"]

        _ = try await server.session.send(.make("GET", "/start", headers: headers))

        for name in headers.keys {
            #expect((end.requests[0].header(name) == headers[name]) == isSame)
        }
    }

    @Test func secretsOfTheConfigurationStayAtTheirOrigin() async throws {
        let server = MockServer()
        server.on(.get("/start"), reply: .redirect(to: "https://other.example/over"))
        let over = server.on(.get("/over"), reply: .redirect(to: "/end"))
        let end = server.on(.get("/end"), reply: .text("there"))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Api-Key": "k", "X-Dog": "Rex"]

        _ = try await server.makeSession(configuration: configuration).send(.make("GET", "/start"))

        #expect(server.requests.first?.header("X-Api-Key") == "k")
        for request in over.requests + end.requests {
            // On Apple platforms the field is present and empty.
            #expect(request.header("X-Api-Key") ?? "" == "")
            #expect(request.header("X-Dog") == "Rex")
        }
        #expect(end.requests.count == 1)
    }

    @Test func redirectLoopFails() async throws {
        server.on(.path("/a"), reply: .redirect(to: "/b"))
        server.on(.path("/b"), reply: .redirect(to: "/a"))

        for client in [server.session, server] as [any HTTPTransport] {
            let error = await #expect(throws: URLError.self) {
                try await client.send(.make("GET", "/a"))
            }
            #expect(error?.code == .httpTooManyRedirects)
        }
        #expect(server.requests.count == 34)
    }

    @Test func redirectToAnUnknownPathIsUnhandled() async throws {
        let server = MockServer(unhandled: .reply(.status(404)))
        server.on(.path("/start"), reply: .redirect(to: "/nowhere"))

        #expect(try await server.session.status(.make("GET", "/start")) == 404)
    }

    @Test func redirectWithoutALocationIsReturned() async throws {
        server.on(.path("/start"), reply: .text("moved", status: 302), .status(300))

        #expect(try await server.session.status(.make("GET", "/start")) == 302)
        #expect(try await server.session.status(.make("GET", "/start")) == 300)
    }

    @Test func redirectFromHTTPSToHTTPIsReturned() async throws {
        server.on(.path("/start"), reply: .redirect(to: "http://api.example.com/end"))

        for client in [server.session, server] as [any HTTPTransport] {
            #expect(try await client.status(.make("GET", "/start")) == 302)
        }
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

    @Test func systemFunctionFollowsARedirect() async throws {
        server.on(.path("/start"), reply: .redirect(to: "/end"))
        server.on(.path("/end"), reply: .text("there"))

        let (data, response) = try await server.session.data(for: .make("GET", "/start"))

        #expect(String(decoding: data, as: UTF8.self) == "there")
        #expect(response.url == .make("/end"))
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
