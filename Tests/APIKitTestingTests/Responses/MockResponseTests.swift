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

    @Test func responseWithoutContentHasNoLength() async throws {
        let (data, head) = try await load(.text("hello", status: 204))

        #expect(data.isEmpty && head.value(forHTTPHeaderField: "Content-Length") == nil)
    }

    @Test func explicitContentTypeReplacesTheDefault() async throws {
        let (_, head) = try await load(
            .json([1]).header("content-type", "application/vnd.api+json"))

        #expect(head.value(forHTTPHeaderField: "Content-Type") == "application/vnd.api+json")
    }

    @Test func fixtureIsReadFromTheBundle() async throws {
        let (data, head) = try await load(.fixture("Fixtures/users.json", in: .module, status: 203))

        #expect(
            try JSONDecoder().decode([User].self, from: data) == [User(id: 1, name: "Ada")])
        #expect(head.statusCode == 203)
        #expect(head.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }

    @Test func missingFixtureFailsTheTestWithFileAndBundle() async throws {
        let bundle = Bundle.module.bundleURL.lastPathComponent
        server.on(.any, reply: .fixture("missing.json", in: .module))

        await #expect(throws: TestFailure.self) { try await server.session.send(.make()) }

        #expect(
            try await server.failuresOfVerification() == [
                "A route is invalid: the file missing.json is not in the bundle \"\(bundle)\". "
                    + "List it as a resource of the target in Package.swift"
            ])
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

    @Test(arguments: [false, true], [MockResponse.never, .text("late").delayed(.seconds(3_600))])
    func cancellationEndsAWait(withURLSession: Bool, response: MockResponse) async throws {
        server.on(.any, reply: response)
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

    @Test func unencodableReplyOfAResponderFailsTheTest() async throws {
        let server = MockServer { _ in .json(Double.nan) }

        await #expect(throws: TestFailure.self) { try await server.session.send(.make()) }

        let issues = try await recordedIssues { server.verify() }
        #expect(issues.first?.text.contains("a Double cannot be encoded as JSON") == true)
        #expect(issues.map(\.sourceLocation?.fileID) == [#fileID])
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
