import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn) struct ReplayingTests {
    let server = MockServer()

    private func entries(_ paths: String...) -> [RecordedExchange] {
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
        server.replay(entries("/a", "/a"), of: Cassette("users", options: [.repeatsLastEntry]))

        for expected in ["1", "2", "2", "2"] {
            #expect(try await server.text("/a") == expected)
        }
        #expect(server.failures.isEmpty)
    }

    @Test func lastEntryWithAPlaceholderRepeatsIfAsked() async throws {
        server.replay(
            entries("/a?key=REDACTED0001"), of: Cassette("users", options: [.repeatsLastEntry]))

        #expect(try await server.text("/a?key=x") == "1")
        #expect(try await server.text("/a?key=x") == "1")
    }

    @Test func lastEntryOfTheRunningTestRepeatsBeforeThoseOfOtherTests() async throws {
        var entries = entries("/a", "/a")
        try entries.change(at: 0) { $0.test = "T/other" }
        try entries.change(at: 1) { $0.test = "Tests" }
        server.replay(entries, of: Cassette("users", options: [.repeatsLastEntry]))

        for _ in 0..<2 { #expect(try await server.text("/a") == "2") }
    }

    @Test func lastEntryWithoutABodyRepeatsBeforeThoseOfOtherTests() async throws {
        var entries = entries("/a", "/a")
        try entries.change(at: 0) { $0.test = "T/other" }
        try entries.change(at: 1) { $0.test = "Tests" }
        try entries.change(at: 1) { $0.request.hasBody = false }
        server.replay(entries, of: Cassette("users", options: [.repeatsLastEntry]))

        for _ in 0..<2 { #expect(try await server.text("/a") == "2") }
    }

    @Test func missingCookieTellsNoEntriesApart() async throws {
        var entries = entries("/me", "/me")
        try entries.change(at: 1) {
            $0 = $0.sending(fields: [HeaderField(name: "Cookie", value: "id=REDACTED0001")])
        }
        server.replay(entries)

        #expect(try await server.text("/me") == "1")
        #expect(try await server.text("/me") == "2")
    }

    @Test func headerThatNoResponseCanHaveIsLeftOut() async throws {
        var entry = try #require(entries("/a").first)
        entry.response.fields = [.init(name: "a b", value: "c"), .init(name: "D", value: "e")]
        server.replay([entry])

        let (_, response) = try await server.send(.make("GET", "/a"))
        let fields = try #require(response as? HTTPURLResponse).allHeaderFields
        #expect(fields.keys.map { "\($0)" } == ["D"])
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

    @Test func placeholderInARecordedPathMatchesAnySegment() async throws {
        server.replay(entries("/users/REDACTED0001/a", "/users/me/a", "/users/REDACTED0002/b"))

        #expect(try await server.text("/users/me/a") == "2")
        #expect(try await server.text("/users/secret-1/a") == "1")
        #expect(try await server.text("/users/secret-2/b") == "3")
        #expect(server.failures.isEmpty)
    }

    // MARK: Placeholders

    @Test func equalDummiesReplayInOrder() async throws {
        server.replay(
            entries("/a?key=REDACTED0001", "/a?key=REDACTED0002", "/a?key=REDACTED0001"))

        for number in 1...3 { #expect(try await server.text("/a?key=dummy") == "\(number)") }
        #expect(server.failures.isEmpty)
    }

    @Test func bodyTellsOperationsApart() async throws {
        server.replay(
            ["one", "two"].map {
                .make("POST", "/graphql", body: #"{"operationName":"\#($0)"}"#, reply: $0)
            })

        for name in ["two", "one"] {
            let body = Data(#"{ "operationName": "\#(name)" }"#.utf8)
            #expect(
                try await server.send(.make("POST", "/graphql", body: body)).0 == Data(name.utf8))
        }
        #expect(server.failures.isEmpty)
    }

    @Test func harmlessCodeMustBeEqual() async throws {
        let tape = server.replay(entries("/rates?currency=EUR"))

        await #expect(throws: UnhandledRequestError.self) {
            try await server.text("/rates?currency=XXX")
        }
        #expect(server.failures.first?.message.contains("ignore them") == false)
        #expect(tape.problem == nil)
    }

    @Test func entriesOfTheRunningTestComeFirst() async throws {
        var recording = entries(
            "/a?key=REDACTED0001", "/a?key=REDACTED0002", "/a?key=REDACTED0003")
        try recording.change(at: 0) { $0.test = "T/other" }
        try recording.change(at: 2) { $0.test = "T/own" }
        let file = RecordingFile(
            cassette: Cassette("users"), test: "T/own", mode: .none,
            content: HARFile(entries: recording, placeholders: RecordedExchange.placeholders))
        server.replay(Tape(file, at: SourceCodeLocation(#fileID, #filePath, #line, 1)))

        #expect(try await server.text("/a?key=x") == "3")
        #expect(server.failures.map(\.message).first?.contains("entry 2: ") == true)
        #expect(try await server.text("/a?key=x") == "2")
        #expect(server.failures.isEmpty, "The entry of another test is not missing.")
        #expect(try await server.text("/a?key=x") == "1")
    }

    @Test func recordingDateIsThatOfTheFirstEntry() {
        #expect(server.recordingDate == nil)
        server.replay([.make(startedAt: Date(timeIntervalSince1970: 7)), .make()])

        #expect(server.recordingDate == Date(timeIntervalSince1970: 0))
    }

    @Test func sessionFollowsARecordedRedirectWithItsCookies() async throws {
        server.replay([
            .make(
                "GET", "/a", status: 302,
                responseFields: [
                    HeaderField(name: "location", value: "/b"),
                    HeaderField(name: "Set-Cookie", value: "id=1; Path=/"),
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
