import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct MockResponseTests {
    let server = MockServer.current

    private func load(_ response: MockResponse) async throws -> (Data, HTTPURLResponse) {
        server.on(.any, reply: response)
        let (data, head) = try await server.session.send(.make("GET", "/a?b=c"))
        return (data, try #require(head as? HTTPURLResponse))
    }

    @Test(arguments: [200, 600, 999])
    func anyStatusArrivesWithoutASession(status: Int) async throws {
        server.on(.any, reply: .status(status))

        #expect(try await server.status(.make()) == status)
    }

    @Test func jsonIsEncoded() async throws {
        let (data, head) = try await load(.json(User(id: 1, name: "Ada"), status: 201))

        #expect(try JSONDecoder().decode(User.self, from: data) == User(id: 1, name: "Ada"))
        #expect(head.statusCode == 201)
        #expect(head.value(forHTTPHeaderField: "content-type") == "application/json")
        #expect(head.expectedContentLength == Int64(data.count))
    }

    @Test func jsonUsesTheGivenEncoder() async throws {
        struct Names: Encodable { var firstName = "Ada" }
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase

        let (data, _) = try await load(.json(Names(), encoder: encoder))

        #expect(String(decoding: data, as: UTF8.self) == #"{"first_name":"Ada"}"#)
    }

    @Test func textIsEncodedInUTF8() async throws {
        let (data, head) = try await load(.text("é"))

        #expect(Array(data) == [0xC3, 0xA9])
        #expect(head.value(forHTTPHeaderField: "Content-Type") == "text/plain; charset=utf-8")
    }

    @Test func explicitContentTypeReplacesTheDefault() async throws {
        let (_, head) = try await load(
            .json([1]).header("content-type", "application/vnd.api+json"))

        #expect(head.value(forHTTPHeaderField: "Content-Type") == "application/vnd.api+json")
    }

    @Test func repeatedHeadersAreJoined() async throws {
        let (_, head) = try await load(
            .status(200).header("Link", "<a>").header("link", "<b>").header("X-One", "1"))

        #expect(head.value(forHTTPHeaderField: "Link") == "<a>, <b>")
        #expect(head.value(forHTTPHeaderField: "X-One") == "1")
    }

    @Test func fixtureIsReadFromTheBundle() async throws {
        let (data, head) = try await load(.fixture("Fixtures/users.json", in: .module, status: 203))

        #expect(
            try JSONDecoder().decode([User].self, from: data) == [User(id: 1, name: "Ada")])
        #expect(head.statusCode == 203)
        #expect(head.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }

    @Test func missingFixtureFailsTheTestWithFileAndBundle() async {
        let bundle = Bundle.module.bundleURL.lastPathComponent
        await withKnownIssue {
            server.on(.any, reply: .fixture("missing.json", in: .module))
            await #expect(throws: TestFailure.self) { try await server.session.send(.make()) }
            server.verify()
        } matching: { issue in
            issue.comments.first?.rawValue
                == "A route is invalid: the file missing.json is not in the bundle \"\(bundle)\". "
                + "List it as a resource of the target in Package.swift"
        }
    }

    @Test(arguments: [
        URLError.Code.timedOut, .notConnectedToInternet, .networkConnectionLost, .cannotFindHost,
        .cannotConnectToHost, .badServerResponse, .secureConnectionFailed, .dataNotAllowed,
        .dnsLookupFailed, .resourceUnavailable,
    ])
    func failureCarriesCodeAndURL(code: URLError.Code) async throws {
        server.on(.any, reply: .failure(code))

        let error = await #expect(throws: URLError.self) {
            try await server.session.send(.make("GET", "/a"))
        }

        #expect(error?.code == code)
        #expect(error?.failingURL == URL.make("/a"))
    }

    @Test func customErrorIsThrown() async {
        struct Broken: Error {}
        server.on(.any, reply: .failure(Broken()))

        await #expect(throws: Broken.self) { try await server.session.send(.make()) }
    }

    @Test(arguments: [false, true])
    func neverResponseEndsWhenTheTaskIsCanceled(withURLSession: Bool) async throws {
        server.on(.any, reply: .never)
        let client: any HTTPTransport = withURLSession ? server.session : server

        let load = Task { try await client.send(.make()) }
        _ = try await server.nextRequest()
        load.cancel()

        await #expect(throws: CancellationError.self) { try await load.value }
    }

    @Test(arguments: [false, true])
    func delayUsesTheClockOfTheServer(withURLSession: Bool) async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(.any, reply: .text("late").delayed(.seconds(1800)).delayed(.seconds(1800)))
        let client: any HTTPTransport = withURLSession ? server.session : server

        async let text = client.text("/")
        await clock.waitForSleepers()
        clock.advance(by: .seconds(3599))
        #expect(server.requests.count == 1)
        clock.advance(by: .seconds(1))

        #expect(try await text == "late")
    }

    @Test(arguments: [false, true])
    func cancellationEndsADelay(withURLSession: Bool) async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(.any, reply: .text("late").delayed(.seconds(1)))
        let client: any HTTPTransport = withURLSession ? server.session : server

        let load = Task { try await client.send(.make()) }
        await clock.waitForSleepers()
        load.cancel()

        await #expect(throws: CancellationError.self) { try await load.value }
    }

    @Test func unencodableReplyOfAResponderFailsTheTest() async {
        await withKnownIssue {
            let server = MockServer { _ in .json(Double.nan) }
            await #expect(throws: TestFailure.self) { try await server.session.send(.make()) }
            server.verify()
        } matching: { issue in
            issue.comments.first?.rawValue.contains("a Double cannot be encoded as JSON") == true
                && issue.sourceLocation?.fileID == #fileID
        }
    }

    /// The ways to send a request to a server.
    enum Connection: CaseIterable { case session, systemFunction, installed, delegate, server }

    @Test(arguments: Connection.allCases, ["Basic realm=\"dogs\"", "Digest realm=\"a\"", "Bearer"])
    func unauthorizedResponseArrives(connection: Connection, challenge: String) async throws {
        server.on(
            .any,
            reply: .text("who?", status: 401).header("WWW-Authenticate", challenge))
        let request = URLRequest.make("GET", "/a?b=c")
        let delegate = ChallengeDelegate { _ in
            (.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
        }
        let configuration = URLSessionConfiguration.ephemeral
        server.install(in: configuration)

        let (data, response): (Data, URLResponse) =
            switch connection {
            case .session: try await server.session.send(request)
            case .systemFunction: try await server.session.data(for: request)
            case .installed: try await URLSession(configuration: configuration).send(request)
            case .delegate: try await server.makeSession(delegate: delegate).data(for: request)
            case .server: try await server.send(request)
            }

        let head = try #require(response as? HTTPURLResponse)
        #expect(head.statusCode == 401)
        #expect(String(decoding: data, as: UTF8.self) == "who?")
        #expect(head.url == request.url)
        #expect(head.value(forHTTPHeaderField: "WWW-Authenticate") == challenge)
    }

    @Test func delegateReadsTheURLOfAnUnauthorizedResponse() async throws {
        server.on(
            .any, reply: .text("who?", status: 401).header("WWW-Authenticate", "Basic realm=\"d\""))
        let delegate = RecordingDelegate()
        let session = server.makeSession(delegate: delegate)
        let task = session.dataTask(with: .make("GET", "/a"))

        task.resume()

        #expect(await delegate.completion() == nil)
        #expect(delegate.status == 401)
        #expect(task.response?.url == URL.make("/a"))
    }
}
