import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn, .timeLimit(.minutes(10))) struct VerifyingTests {
    let server = MockServer(unhandled: .reply(.status(404)))

    private func request(_ paths: String...) async throws {
        for path in paths { _ = try await server.send(.make("GET", path)) }
    }

    @Test func verifyReportsAFailureOnce() async throws {
        let server = MockServer()
        server.on(.get("/a"), reply: .status(200))

        #expect(try await server.failuresOfVerification().count == 1)
        #expect(try await server.failuresOfVerification() == [])

        #expect(server.failures.isEmpty)
    }

    @Test func verifyCountsRequestsOfAnyRoute() async throws {
        for page in 1...3 { _ = try await server.send(.make("GET", "/dogs?page=\(page)")) }

        server.verify(.get("/dogs"), times: 3)
        server.verify(.post("/dogs"), times: 0)
        let line = #line + 1
        let issues = try await recordedIssues { server.verify(.get("/dogs"), times: 2) }
        #expect(
            issues.map(\.text) == [
                """
                GET /dogs was requested 3 times, expected exactly 2. The server received:
                  - GET https://api.example.com/dogs?page=1
                  - GET https://api.example.com/dogs?page=2
                  - GET https://api.example.com/dogs?page=3
                """
            ])
        #expect(issues.first?.sourceLocation?.line == line)
    }

    @Test func listOfRequestsHasALimit() async throws {
        let path = "/" + String(repeating: "a", count: 1000)
        for _ in 0..<60 { _ = try await server.send(.make("GET", path)) }

        let issues = try await recordedIssues { server.verify(.get("/dogs")) }
        let text = try #require(issues.first?.text)
        let lines = text.split(separator: "\n")
        #expect(text.utf8.count <= 64 << 10)
        #expect(lines.allSatisfy { $0.count <= 500 })
        #expect(lines.last == "  … and \(60 - (lines.count - 2)) more requests")
    }

    @Test func verifyReportsThatNoRequestArrived() async throws {
        let issues = try await recordedIssues { MockServer().verify(.get("/dogs")) }

        #expect(
            issues.map(\.text) == [
                "GET /dogs was requested 0 times, expected exactly 1. The server received: nothing"
            ])
    }

    @Test func verifyOrderAllowsOtherRequestsInBetween() async throws {
        try await request("/a", "/x", "/b", "/a")

        server.verifyOrder(.get("/a"), .get("/b"), .get("/a"))
        server.verifyOrder(.any, .any)
        server.verifyOrder()
    }

    @Test func verifyOrderReportsAMissingRequest() async throws {
        try await request("/b", "/a")

        let line = #line + 2
        let issues = try await recordedIssues {
            server.verifyOrder(.get("/a"), .get("/b"))
            MockServer().verifyOrder(.get("/a"))
        }

        #expect(
            issues.map(\.text) == [
                """
                GET /b after GET /a was not requested. The server received:
                  - GET https://api.example.com/b
                  - GET https://api.example.com/a
                """, "GET /a was not requested. The server received: nothing",
            ])
        #expect(issues.first?.sourceLocation?.line == line)
    }

    @Test func failureShowsTheFirstDifferencesOfACloseRequest() async throws {
        let body = Data((0..<12).map { "\"\($0 + 10)\":1" }.joined(separator: ",").utf8)
        let object = Data("{".utf8) + body + Data("}".utf8)
        _ = try await server.send(.make("POST", "/a?secret=x", body: Data(#"{"name":"Rex"}"#.utf8)))
        _ = try await server.send(.make("POST", "/a", body: object))
        _ = try await server.send(.make("GET", "/a"))

        let pattern = RequestPattern.post("/a").json(["name": "Max"])
        let requests = """
             The server received:
              - POST https://api.example.com/a?secret=*** (json.name: expected "Max", got "Rex")
              - POST https://api.example.com/a (json.10: expected nothing, got 1; \
            json.11: expected nothing, got 1; json.12: expected nothing, got 1; and 10 more)
              - GET https://api.example.com/a
            """
        let checks: [@Sendable () -> Void] = [
            { server.verify(pattern) }, { server.verifyOrder(pattern) },
        ]
        for check in checks {
            let issues = try await recordedIssues { check() }
            #expect(issues.map { $0.text.hasSuffix(requests) } == [true])
        }
        let error = await #expect(throws: TestFailure.self) {
            try await server.nextRequest(pattern, within: .milliseconds(20))
        }
        #expect(error?.message.hasSuffix(requests) == true)
    }

    @Test func invalidPatternFailsTheTest() async throws {
        let message =
            "A pattern is invalid: /a?b contains a query. Match it with .query(_:_:)"
        let checks: [@Sendable (Int) -> Void] = [
            { server.verify(.get("/a?b"), times: 0, line: $0) },
            { server.verifyOrder(.any, .get("/a?b"), line: $0) },
        ]
        try await request("/")
        for check in checks {
            let issues = try await recordedIssues { check(7) }
            #expect(issues.map(\.text) == [message])
            #expect(issues.first?.sourceLocation?.line == 7)
        }

        let error = await #expect(throws: TestFailure.self) {
            try await server.nextRequest(.get("/a?b"))
        }
        #expect(error?.message == message)

        #expect(server.requests(matching: .get("/a?b")).isEmpty)
        #expect(server.failures.map(\.message) == [message])
    }

    @Test(arguments: [0, -1, Int.min, .max])
    func verifyAcceptsAnySourceLineNumber(line: Int) async throws {
        let issues = try await recordedIssues {
            server.verify(.get("/a"), line: line, column: line)
        }

        #expect(issues.count == 1)
    }

    @Test func nextRequestReturnsARequestThatArrivedEarlier() async throws {
        try await request("/a?1", "/b", "/a?2")

        #expect(try await server.nextRequest(.get("/a")).url.query == "1")
        #expect(try await server.nextRequest(.get("/a")).url.query == "2")
        #expect(try await server.nextRequest().path == "/b")
    }

    @Test func nextRequestWaitsForARequest() async throws {
        async let next = server.nextRequest(.get("/late"))
        try await request("/early")
        try await request("/late")

        #expect(try await next.path == "/late")
    }

    @Test func concurrentWaitersReceiveDifferentRequests() async throws {
        let paths = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await server.nextRequest().path } }
            for number in 0..<20 {
                group.addTask {
                    _ = try await server.session.send(.make("GET", "/\(number)"))
                    return ""
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }

        #expect(paths.count == 21)
    }

    @Test func nextRequestTimesOut() async throws {
        try await request("/other")

        let line = #line + 1
        let error = await #expect(throws: TestFailure.self) {
            try await server.nextRequest(.get("/never"), within: .milliseconds(20))
        }

        #expect(
            error?.message == """
                GET /never was not requested within 0.02 seconds. The server received:
                  - GET https://api.example.com/other
                """)
        #expect(error.map { "\($0)".hasPrefix("VerifyingTests.swift:\(line): ") } == true)
    }

    @Test(arguments: Duration.extremes)
    func nextRequestAcceptsExtremeLimits(limit: Duration) async throws {
        try await request("/a")

        _ = try await server.nextRequest(within: limit)
    }

    @Test func nextRequestThrowsWhenCanceled() async {
        let waiter = Task { try await server.nextRequest() }

        waiter.cancel()

        await #expect(throws: CancellationError.self) { try await waiter.value }
    }
}
