import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite struct ReplayingTests {
    let server = MockServer()

    private func entries(_ paths: String...) -> [HAREntry] {
        paths.enumerated().map { .make("GET", $1, reply: "\($0 + 1)") }
    }

    @Test func equalRequestsGetTheirEntriesInOrder() async throws {
        server.replay(entries("/a", "/b", "/a"))

        #expect(try await server.text("/a") == "1")
        #expect(try await server.text("/a") == "3")
        #expect(try await server.text("/b") == "2")
        #expect(server.failures.isEmpty)
        await #expect(throws: UnhandledRequestError.self) { try await server.text("/b") }
    }

    @Test func concurrentEqualRequestsGetEachEntryOnce() async throws {
        server.replay((0..<200).map { .make("GET", "/a", reply: "\($0)") })

        let replies = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<200 { group.addTask { try await server.text("/a") } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }

        #expect(replies.count == 200)
        #expect(server.failures.isEmpty)
    }

    @Test func lastEntryRepeatsIfAsked() async throws {
        server.replay(entries("/a", "/a"), of: Cassette("users", repeatsLastEntry: true))

        for expected in ["1", "2", "2", "2"] {
            #expect(try await server.text("/a") == expected)
        }
        #expect(server.failures.isEmpty)
    }

    @Test(arguments: ["/{id}/*", "/**", "/a%2Fb", "/users/%7Bid%7D"])
    func recordedPathIsLiteral(path: String) async throws {
        server.replay(entries(path))

        for other in ["/x/y", "/x", "/a/b", "/users/1"] {
            await #expect(throws: UnhandledRequestError.self) { try await server.text(other) }
        }
        #expect(try await server.text(path) == "1")
    }

    @Test func routeOfTheTestTakesPrecedence() async throws {
        server.on(.get("/a"), reply: .text("route"), times: 1)
        server.replay(entries("/a", "/b"))
        server.on(.get("/b"), reply: .text("route"))

        #expect(try await server.text("/a") == "route")
        #expect(try await server.text("/b") == "route")
        #expect(server.failures.isEmpty, "A route replied in place of each entry.")
        #expect(try await server.text("/a") == "1")
    }

    @Test func lastCassetteTakesPrecedence() async throws {
        server.replay([.make("GET", "/a", reply: "first"), .make("GET", "/b", reply: "first")])
        server.replay([.make("GET", "/a", reply: "second")])

        #expect(try await server.text("/a") == "second")
        #expect(try await server.text("/a") == "first")
        #expect(try await server.text("/b") == "first")
    }

    @Test func onlyTheComponentsOfTheCassetteAreCompared() async throws {
        server.replay(
            [
                .make("POST", "/a", body: #"{"id":1}"#, reply: "1"),
                .make("POST", "/a", body: #"{"id":2}"#, reply: "2"),
            ],
            of: Cassette("users", matching: [.path, .body]))

        let second = URLRequest.make("PUT", "/a?x=1", body: Data(#"{ "id": 2.0 }"#.utf8))
        #expect(try await server.send(second).0 == Data("2".utf8))
        let first = URLRequest.make("POST", "https://b.example/a", body: Data(#"{"id":1}"#.utf8))
        #expect(try await server.send(first).0 == Data("1".utf8))
    }

    @Test func placeholderInARecordedPathMatchesAnySegment() async throws {
        server.replay(entries("/users/REDACTED-1/a", "/users/me/a", "/users/REDACTED-2/a"))

        #expect(try await server.text("/users/me/a") == "2")
        #expect(try await server.text("/users/secret-1/a") == "1")
        #expect(try await server.text("/users/secret-2/a") == "3")
        #expect(server.failures.isEmpty)
    }

    @Test func sessionFollowsARecordedRedirectWithItsCookies() async throws {
        server.replay([
            .make(
                "GET", "/a", status: 302,
                responseHeaders: [
                    HAREntry.Field(name: "location", value: "/b"),
                    HAREntry.Field(name: "Set-Cookie", value: "id=1; Path=/"),
                ]),
            .make("GET", "/b", reply: "end"),
        ])

        let (data, response) = try await server.session.send(.make("GET", "/a"))

        #expect(data == Data("end".utf8))
        #expect(response.url == .make("/b"))
        #expect(server.requests.map(\.path) == ["/a", "/b"])
        #expect(server.requests.last?.cookies == ["id": "1"])
        #expect(server.failures.isEmpty)
    }

    @Test func delayIsReplayedOnTheClockOfTheServer() async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.replay(
            [.make("GET", "/a", reply: "late", wait: .seconds(3600))],
            of: Cassette("users", replaysDelays: true))

        async let text = server.text("/a")
        await clock.advanceToNextDeadline()
        #expect(try await text == "late")
    }

    @Test func delayIsNotReplayedByDefault() async throws {
        server.replay([.make("GET", "/a", reply: "now", wait: .seconds(1_000_000))])

        #expect(try await server.text("/a") == "now")
    }

    @Test func journalAndVerificationIncludeReplayedRequests() async throws {
        server.replay(entries("/a", "/b"))
        let client = APIClient(baseURL: .make("/"), transport: server)

        _ = try await client.load(TextRequest(), with: "a")
        _ = try await server.session.send(.make("GET", "/b"))

        #expect(server.requests.map(\.path) == ["/a", "/b"])
        server.verify(.get("/a"))
        server.verifyOrder(.get("/a"), .get("/b"))
        #expect(try await server.nextRequest(.get("/b")).path == "/b")
    }

    @Test func bodyIsStreamed() async throws {
        server.replay(entries("/a"))

        let (stream, _) = try await server.stream(.make("GET", "/a"))

        #expect(try await stream.reduce(into: Data()) { $0 += $1 } == Data("1".utf8))
    }
}

private struct TextRequest: APIRequest {
    typealias ResponseDataType = String

    func makeRequest(from path: String) throws -> URLRequest { try URLRequest(.get, "\(path)") }
}
