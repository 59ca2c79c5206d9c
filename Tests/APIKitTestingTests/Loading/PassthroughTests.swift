import APIKit
import APIKitTesting
import Foundation
import Testing

/// Requests that a mock server sends to the real network.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct PassthroughTests {
    @Test(arguments: LoadingWay.allCases, [true, false])
    func passthroughReachesServer(way: LoadingWay, withSession: Bool) async throws {
        let real = try LoopbackServer { request in
            LoopbackServer.response(201, ["X-Real: 1"], body: "\(request.method) \(request.body)")
        }
        let mock = MockServer(unhandled: .reply(.passthrough))
        mock.on(.get("/mocked"), reply: .text("mocked"))
        mock.on(.post("/real"), reply: .passthrough)
        let client: any HTTPTransport = withSession ? mock.session : mock
        var post = URLRequest(url: real.url("/real"))
        post.httpMethod = "POST"
        post.httpBody = Data("body".utf8)
        post.setValue("1", forHTTPHeaderField: "X-Sent")

        #expect(try await way.load(URLRequest(url: real.url("/mocked")), by: client).0 == "mocked")
        let (body, head) = try await way.load(post, by: client)
        #expect(body == "POST body")
        #expect(head.statusCode == 201)
        #expect(head.value(forHTTPHeaderField: "X-Real") == "1")
        #expect(try await way.load(URLRequest(url: real.url("/other")), by: client).0 == "GET ")
        #expect(real.requests.map(\.path) == ["/real", "/other"])
        #expect(real.requests.first?.header("X-Sent") == "1")
        mock.verify()
    }

    @Test func cookiesAreThoseOfTheSession() async throws {
        let real = try LoopbackServer { _ in
            LoopbackServer.response(200, ["Set-Cookie: real=1; Path=/"])
        }
        let mock = MockServer(unhandled: .reply(.passthrough))
        mock.on(.get("/login"), reply: .status(204).cookie("mocked", "1"))
        let end = mock.on(.get("/end"))
        let other = MockServer(unhandled: .reply(.passthrough))
        let clients: [any HTTPTransport] = [
            mock.session, mock.session, mock.session, mock.session, other.session, mock, mock,
        ]

        for (client, path) in zip(clients, ["/login", "/1", "/2", "/end", "/3", "/4", "/5"]) {
            _ = try await client.send(URLRequest(url: real.url(path)))
        }

        let sent = real.requests.map { request in
            Set((request.header("Cookie") ?? "").components(separatedBy: "; "))
        }
        #expect(sent == [["mocked=1"], ["mocked=1", "real=1"], [""], [""], [""]])
        #expect(end.requests.map(\.cookies) == [["mocked": "1", "real": "1"]])
    }

    @Test(arguments: [true, false])
    func redirectGoesToARouteOrElseToTheNetwork(withSession: Bool) async throws {
        let real = try LoopbackServer { request in
            let target = ["/start": "/end", "/other": "/mocked"][request.path]
            return LoopbackServer.response(
                target == nil ? 200 : 302, target.map { ["Location: \($0)"] } ?? [], body: "real")
        }
        let mock = MockServer()
        mock.on(.get("/start"), reply: .passthrough)
        mock.on(.get("/other"), reply: .passthrough)
        mock.on(.get("/mocked"), reply: .text("mocked"))
        let client: any HTTPTransport = withSession ? mock.session : mock

        for (path, text) in [("/start", "real"), ("/other", "mocked")] {
            let (data, _) = try await client.send(URLRequest(url: real.url(path)))
            #expect(String(decoding: data, as: UTF8.self) == text)
        }

        #expect(real.requests.map(\.path) == ["/start", "/end", "/other"])
        #expect(mock.requests.map(\.path) == ["/start", "/end", "/other", "/mocked"])
        mock.verify()
    }

    @Test func secretsOfTheConfigurationStayAtTheirOrigin() async throws {
        let other = try LoopbackServer { _ in LoopbackServer.response(200, body: "there") }
        let target = other.url("/end").absoluteString
        let real = try LoopbackServer { _ in
            LoopbackServer.response(302, ["Location: \(target)"])
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = [
            "X-Api-Key": "k", "X-Dog": "Rex", "Cookie": "dog=Rex",
        ]
        let mock = MockServer(unhandled: .reply(.passthrough))

        _ = try await mock.makeSession(configuration: configuration)
            .send(URLRequest(url: real.url("/")))

        #expect(real.requests.map { $0.header("X-Api-Key") } == ["k"])
        #expect(real.requests.map { $0.header("Cookie") } == ["dog=Rex"])
        #expect(other.requests.map { $0.header("X-Api-Key") ?? "" } == [""])
        #expect(other.requests.map { $0.header("Cookie") } == [nil])
        #expect(other.requests.map { $0.header("X-Dog") } == ["Rex"])
    }

    @Test func passthroughKeepsTheSettingsOfTheRequest() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [NetworkSpy.self]
        let mock = MockServer(unhandled: .reply(.passthrough))
        var request = URLRequest.make("PUT", "https://api.example.com/settings")
        request.timeoutInterval = 1_212
        request.cachePolicy = .reloadIgnoringLocalCacheData
        request.allowsCellularAccess = false
        request.httpShouldHandleCookies = false

        _ = try await mock.makeSession(configuration: configuration).send(request)

        let sent = try #require(NetworkSpy.request.withLock { $0 })
        #expect(sent.timeoutInterval == 1_212)
        #expect(sent.cachePolicy == .reloadIgnoringLocalCacheData)
        #expect(!sent.allowsCellularAccess)
        #expect(!sent.httpShouldHandleCookies)
    }

    @Test(arguments: [true, false])
    func faultsOfAPassthroughApply(withSession: Bool) async throws {
        let real = try LoopbackServer { _ in LoopbackServer.response(200, body: "0123456789") }
        let clock = ManualClock()
        let mock = MockServer(clock: clock)
        mock.on(.get("/cut"), reply: .passthrough.truncated(after: 4))
        mock.on(.get("/late"), reply: .passthrough.delayed(.seconds(60)))
        let client: any HTTPTransport = withSession ? mock.session : mock

        let error = await #expect(throws: URLError.self) {
            try await client.send(URLRequest(url: real.url("/cut")))
        }
        #expect(error?.code == .networkConnectionLost)
        async let late = client.send(URLRequest(url: real.url("/late")))
        await clock.waitForSleepers()
        #expect(real.requests.count == 1)
        clock.advance(by: .seconds(60))
        #expect(try await late.0.count == 10)
    }
}

/// A protocol of an app, which records the last request that it loads.
private final class NetworkSpy: TestProtocol {
    static let request = Locked<URLRequest?>(nil)

    override func startLoading() {
        Self.request.withLock { $0 = request }
        guard let response = response(204) else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocolDidFinishLoading(self)
    }
}
