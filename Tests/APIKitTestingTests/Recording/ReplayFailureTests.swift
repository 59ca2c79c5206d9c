import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// The tests assert whole messages, because a failed test shows nothing else.
@Suite(.inTurn) struct ReplayFailureTests {
    let server = MockServer()

    @Test func missShowsTheClosestEntryAndTheCommand() async {
        let tape = server.replay([
            .make("GET", "/other"), .make("POST", "/users"), .make("GET", "/users?page=1&size=2"),
            .make("GET", "/users?page=9&size=3"),
        ])

        #expect(
            await server.miss(.make("GET", "/users?size=2&page=2")) == """
                Unhandled request: GET https://api.example.com/users?size=2&page=2
                The closest entry is GET /users?page=1&size=2 (entry 3 of \
                Recordings/users.har):
                  - query.page: expected "1", got "2"
                If these values change with each run, name them: \
                matching: [.method, .url, .body, .ignoring("ts")].
                To record the requests again, run
                  \(tape.file.command)
                """)
        #expect(server.failures.count == 1)
    }

    @Test func missShowsThatAllEntriesAreUsed() async throws {
        let tape = server.replay([.make("GET", "/a"), .make("GET", "/b"), .make("GET", "/a")])
        _ = try await (server.text("/a"), server.text("/a"))

        #expect(
            await server.miss(.make("GET", "/a")) == """
                Unhandled request: GET https://api.example.com/a
                The entry GET /a (entries 1 and 3 of Recordings/users.har) has \
                already replied twice, its maximum. To use it again, pass options: [.repeatsLastEntry].
                To record the requests again, run
                  \(tape.file.command)
                """)
    }

    @Test(arguments: [nil, "bytes=4-7"])
    func missShowsTheRangeOfAnEntry(range: String?) async throws {
        let tape = server.replay([
            .make("GET", "/film", headers: ["Range": "bytes=0-3"], status: 206, reply: "abcd"),
            .make("GET", "/film", headers: ["range": "bytes=8-11"], status: 206, reply: "ijkl"),
        ])
        func get(_ range: String?) -> URLRequest {
            .make("GET", "/film", headers: range.map { ["Range": $0] } ?? [:])
        }

        let (body, _) = try await server.send(get("bytes=8-11"))
        #expect(body == Data("ijkl".utf8))
        #expect(
            await server.miss(get(range)) == """
                Unhandled request: GET https://api.example.com/film
                The closest entry is GET /film (entry 2 of Recordings/users.har):
                  - header.range: expected "bytes=8-11", got \(range.map { "\"\($0)\"" } ?? "nothing")
                To record the requests again, run
                  \(tape.file.command)
                """)
    }

    @Test func errorOfAUsedEntryDescribesTheFailureOfItsMiss() async throws {
        server.replay([.make("POST", "/a", body: "{\"n\":1}")])
        let client = APIClient(baseURL: .make("/"), transport: server)
        _ = try await client.load(Post())

        let error = try #require(
            await #expect(throws: APIError.self) { _ = try await client.load(Post()) })

        let failure = try #require(server.state.takeFailures(includingShortfalls: false).first)
        #expect("\(error)".contains(failure.message))
    }

    @Test func missListsTheRecordedRequestsIfNoneIsClose() async {
        server.on(.post("/route"), reply: .status(200), times: .anyNumber); let line = #line
        let tape = server.replay([.make("GET", "/a"), .make("GET", "/b"), .make("GET", "/b")])

        #expect(
            await server.miss(.make("PUT", "/completely/different")) == """
                Unhandled request: PUT https://api.example.com/completely/different
                No recorded request is close to this request. The server replies to:
                  - GET /a (entry 1 of Recordings/users.har)
                  - GET /b (entries 2 and 3 of Recordings/users.har)
                  - POST /route (ReplayFailureTests.swift:\(line))
                To record the requests again, run
                  \(tape.file.command)
                """)
    }

    @Test func missShowsADifferentBodyOfTheClosestEntry() async throws {
        server.replay(
            [
                .make(
                    "POST", "/a", headers: ["Content-Type": "application/json"],
                    body: #"{"id":1,"token":"x"}"#)
            ], of: Cassette("users", matching: [.method, .body, .header("Accept")]))
        let request = URLRequest.make(
            "POST", "/b", headers: ["Content-Type": "application/json", "Accept": "text/html"],
            body: Data(#"{"id":2,"token":"y"}"#.utf8))

        let message = try #require(await server.miss(request))

        #expect(
            message.contains("The closest entry is POST, /a (entry 1 of"))
        #expect(message.contains("  - json.id: expected 1, got 2\n"))
        #expect(message.contains("  - header.accept: expected nothing, got \"text/html\"\n"))
    }

    @Test func missMasksTheNamesThatTheCassetteMasks() async throws {
        let redaction = Redaction.secrets.adding(headers: ["X-Tenant"], values: ["ssn"])
        server.replay(
            [
                .make(
                    "POST", "/a?ssn=REDACTED0001&page=1", headers: ["X-Tenant": "REDACTED0002"],
                    body: #"{"ssn":"REDACTED0001","id":1}"#)
            ],
            of: Cassette(
                "users", matching: [.method, .url, .body, .header("X-Tenant")],
                redacting: redaction))
        server.on(.get("/start"), reply: .redirect(to: "/end?ssn=123-45"))
        server.on(.get("/never"), reply: .status(200), times: 0)
        let body = Data(#"{"ssn":"123-45","id":2}"#.utf8)

        let message = try #require(
            await server.miss(
                .make("POST", "/a?ssn=123-45&page=2", headers: ["X-Tenant": "acme"], body: body)))
        #expect(
            message.hasPrefix(
                """
                Unhandled request: POST https://api.example.com/a?ssn=***&page=2
                  body: {"id":2,"ssn":"***"}
                The closest entry is POST /a?ssn=REDACTED0001&page=1 (entry 1 of \
                Recordings/users.har):
                  - json.id: expected 1, got 2
                  - query.page: expected "1", got "2"

                """), "\(message)")
        for path in ["/start?ssn=123-45", "/never?ssn=123-45"] {
            _ = try? await server.session.send(.make("GET", path))
        }
        #expect(server.failures.count == 3)
        for failure in server.failures {
            #expect(!failure.message.contains("123-45"), "\(failure.message)")
            #expect(!failure.message.contains("acme"))
        }
        let issues = try await recordedIssues { server.verify(.get("/other")) }.map(\.text)
        #expect(issues.map { $0.contains("ssn=***") && !$0.contains("123-45") } == [true])
    }

    @Test func missThatTheCassetteMasksIsNotReportedAgainAfterItsError() async {
        let scope = TestScope()
        await TestScope.$current.withValue(scope) {
            let server = MockServer()
            server.replay(
                [], of: Cassette("users", redacting: .secrets.adding(values: ["ssn"])))
            let client = APIClient(baseURL: .make("/"), transport: server)
            let error = await #expect(throws: APIError.self) {
                try await client.load(UserRequest(), with: "/a?ssn=123-45")
            }
            #expect(scope.takeFailures(after: error).isEmpty)
        }
    }

    @Test func missNamesAnotherServerWithTheEntry() async throws {
        try await TestScope.$current.withValue(TestScope()) {
            let (server, other) = (MockServer(), MockServer())
            other.replay([.make("GET", "/a", reply: "1")]); let line = #line
            _ = try? await server.text("/a")

            let message = try #require(server.failures.first?.message)
            #expect(
                message.contains(
                    "Another server of this test has a route for it: GET /a "
                        + "(entry 1 of Recordings/users.har). Use the session of that server."))
            #expect(other.failures.map(\.location?.line) == [line])
        }
    }

    @Test func unusedEntriesAreOneFailureOfTheCassette() async throws {
        let tape = server.replay(
            [
                .make("GET", "/a?access_token=secret"), .make("GET", "/b"), .make("GET", "/c"),
                .make("GET", "/b"),
            ], line: 7)
        _ = try await (server.text("/b"), server.text("/c"))

        let failure = try #require(server.failures.first)

        #expect(server.failures.count == 1)
        #expect(failure.location?.line == 7)
        #expect(
            failure.message == """
                2 entries of Recordings/users.har were not requested:
                  - entry 1: GET /a?access_token=***
                  - entry 4: GET /b
                Make the missing requests, delete the entries, or pass options: \
                [.allowsUnusedEntries]. To record the requests again, run
                  \(tape.file.command)
                """)
        #expect(try await server.failuresOfVerification().count == 1)
        #expect(server.failures.isEmpty)
    }

    @Test(arguments: [true, false])
    func unusedEntriesAreNoFailureIfAsked(isAsked: Bool) {
        server.replay(
            [.make()], of: Cassette("users", options: isAsked ? [.allowsUnusedEntries] : []))

        #expect(server.failures.isEmpty == isAsked)
    }

    @Test func unusedEntriesAreNoFailureAfterAMiss() async throws {
        server.replay([.make("GET", "/a")])

        #expect(try #require(await server.miss(.make("GET", "/b"))).hasPrefix("Unhandled request"))
        #expect(server.failures.count == 1)
    }

    @Test(arguments: [URLError(.timedOut), nil])
    func unusedEntriesAreNoFailureAfterAnErrorOfTheTest(error: URLError?) {
        let scope = TestScope()
        TestScope.$current.withValue(scope) {
            let server = MockServer()
            server.replay([.make("GET", "/a")])
            #expect(scope.takeFailures(after: error).isEmpty == (error != nil))
        }
    }

    @Test func unusedEntriesOfAReleasedServerAreAFailure() {
        let scope = TestScope()
        TestScope.$current.withValue(scope) { _ = MockServer().replay([.make("GET", "/a")]) }

        let messages = scope.takeFailures(after: nil).map(\.message)
        #expect(messages.map { $0.contains("  - entry 1: GET /a\n") } == [true])
    }

    @Test func failureOfTheFileIsReportedOnceAndIsTheErrorOfRequests() async throws {
        server.replay([], problem: "Recordings/users.har is missing."); let line = #line
        server.on(.get("/route"), reply: .text("route"))

        for _ in 0..<2 {
            let error = await #expect(throws: TestFailure.self) { try await server.text("/a") }
            #expect(error?.message == "Recordings/users.har is missing.")
        }
        #expect(try await server.text("/route") == "route")
        #expect(server.failures.map(\.location?.line) == [line])
        #expect(server.failures.map(\.message) == ["Recordings/users.har is missing."])
    }

    @Test func missOfManyEntriesHasALimitedReport() async throws {
        // The paths of 60 entries are longer than the limit, too.
        let numbers = 0..<(Stress.isFull ? 2_000 : 60)
        server.replay(numbers.map { .make("GET", "/items?page=\($0)") })

        let message = try #require(await server.miss(.make("GET", "/items?page=x")))

        #expect(message.contains("query.page: expected \"\(numbers.count - 1)\", got \"x\""))
        server.replay(numbers.map { .make("GET", "/items/\($0)/unused") })
        let other = MockServer()
        other.replay(
            numbers.map { .make("GET", "/\(String(repeating: "x", count: 1_200))/\($0)") })
        let failure = try #require(other.failures.first)
        #expect(failure.message.utf8.count < 64 << 10)
        #expect(failure.message.contains("more requests\nMake the missing requests"))
    }
}

private struct UserRequest: APIRequest {
    typealias ResponseDataType = User

    func makeRequest(from path: String) -> URLRequest { .make("GET", path) }
}

private struct Post: APIRequest {
    func makeRequest(from _: Void) throws -> URLRequest {
        try URLRequest(.post, "/a", body: .json(["n": 1]))
    }

    func parseResponse(data: Data) -> Data { data }
}
