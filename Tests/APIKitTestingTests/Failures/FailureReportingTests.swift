import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn, .timeLimit(.minutes(10))) struct FailureReportingTests {
    private struct Planned: Error {}

    /// Runs a closure as a test with the trait, and returns the issues that it records.
    private func issues(
        of body: @Sendable (MockServer) async throws -> Void
    ) async throws -> [Issue] {
        let test = try #require(Test.current)
        let recorded = Locked<[Issue]>([])
        try await withKnownIssue(isIntermittent: true) {
            try await MockServerTrait.mockServer.provideScope(for: test, testCase: nil) {
                try await body(MockServer.current)
            }
        } matching: { issue in
            recorded.withLock { $0.append(issue) }
            return true
        }
        return recorded.withLock { $0 }
    }

    private func text(_ issue: Issue) -> String {
        issue.comments.map(\.rawValue).joined() + (issue.error.map { "\($0)" } ?? "")
    }

    @Test func unrequestedRouteFailsTheTestAtItsLine() async throws {
        let line = #line + 2
        let issues = try await issues { server in
            server.on(.get("/users"), reply: .status(200))
        }

        #expect(
            issues.map(text) == [
                "GET /users was requested 0 times, expected at least 1. "
                    + "Make and await the missing requests, or change the route's times."
            ])
        #expect(issues.first?.sourceLocation?.line == line)
        #expect(issues.first?.sourceLocation?.fileID == #fileID)
    }

    @Test func failureNamesTheLaterRouteThatServedTheRequests() async throws {
        let line = #line + 3
        let issues = try await issues { server in
            server.on(.get("/users"), reply: .status(200))
            server.on(.get("/users"), reply: .status(200))
            server.on(.get("/dogs"), reply: .status(200))
            for path in ["/users", "/dogs"] { _ = try await server.send(.make("GET", path)) }
        }

        #expect(
            issues.map(text) == [
                """
                GET /users served 0 requests, expected at least 1. A later route \
                (FailureReportingTests.swift:\(line)) served requests that match. Remove one of the \
                routes.
                """
            ])
        #expect(issues.first?.sourceLocation?.line == line - 1)
    }

    @Test func unservedReplyFailsTheTest() async throws {
        let issues = try await issues { server in
            server.on(.get("/a"), reply: .status(503), .status(503), .status(200))
            _ = try await server.session.send(.make("GET", "/a"))
        }

        #expect(
            issues.map(text) == [
                """
                GET /a served 1 of its 3 replies. Make the other requests, or remove the other replies.
                """
            ])
    }

    @Test func unhandledRequestFailsTheTestWhenTheCodeDropsItsError() async throws {
        let issues = try await issues { server in
            _ = await Result { try await server.session.send(.make("GET", "/users")) }
        }

        #expect(issues.count == 1)
        #expect(issues.first.map(text)?.hasPrefix("Unhandled request: GET") == true)
        #expect(issues.first?.sourceLocation == Test.current?.sourceLocation)
    }

    @Test func unhandledRequestInsideAnotherErrorIsReportedOnce() async throws {
        let issues = try await issues { server in
            server.on(.post("/users").json(["name": "Ada"]), reply: .status(201))
            let client = APIClient(transport: server.session)
            _ = try await client.load(PostUser(), with: User(id: 1, name: "Max"))
        }

        #expect(issues.count == 1)
        #expect(issues.first?.error is APIError)
    }

    private struct PostUser: APIRequest {
        typealias ResponseDataType = Data
        func makeRequest(from user: User) throws -> URLRequest {
            try .make("POST", "/users?token=abc", body: JSONEncoder().encode(user))
        }
    }

    private struct Call: APIRequest {
        typealias ResponseDataType = Data
        func makeRequest(from request: URLRequest) throws -> URLRequest { request }
    }

    /// Each word of the names that mean secrets, and names of fields that hold credentials.
    private static let credentials = """
        Authorization Cookie X-API-Key password passwd passcode passphrase pwd pw secret pin otp cvc cvv
        apikey accessToken mfa_code recovery-code backup_code token tok key session sid auth bearer
        credential cred signature sig hmac jwt csrf xsrf saml code pass access refresh
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    @Test(arguments: zip(credentials.indices, credentials))
    func thrownMissOnACredentialIsReportedOnceAndUnchanged(number: Int, name: String) async throws {
        let patterns: [RequestPattern] = [
            .any.header(name, "a"), .any.header(name, .prefix("Bearer ")), .any.query(name, "a"),
            .any.query(exactly: [name: "a"]), .any.cookie(name, "a"),
            .any.form(name, "a"), .any.part(name, body: "a"), .any.json([name: "a"]),
            .any.jsonContaining([name: 12345]),
            .any.json(at: name, "a"), .any.basicAuthentication(user: "a", password: "b"),
        ]
        let request = URLRequest.make(
            "POST", "/?\(name)=actual", headers: [name: "\(name)=actual"],
            body: Data(#"{"\#(name)":"actual"}"#.utf8))
        // The first name has all conditions and callers. Each other one has one, because how a name is
        // masked does not depend on them.
        let isFull = Stress.isFull || number == 0
        let (callers, tested) = (
            isFull ? [false, true] : [false],
            isFull ? patterns : [patterns[number % patterns.count]]
        )
        for (pattern, isLoader) in tested.flatMap({ pattern in callers.map { (pattern, $0) } }) {
            let scope = TestScope()
            let server = TestScope.$current.withValue(scope) { MockServer() }
            server.on(pattern, reply: .status(200))
            let client = APIClient(transport: isLoader ? server.session : server)

            let error = await #expect(throws: APIError.self) {
                try await isLoader
                    ? APIRequestLoader(apiRequest: Call(), client: client).load(request)
                    : client.load(Call(), with: request)
            }

            let cause = try #require(error?.underlying as? UnhandledRequestError)
            #expect(error?.description == cause.description)
            #expect(cause.description.contains(": expected "))
            #expect(scope.takeFailures(after: error).isEmpty)
        }
    }

    @Test func expectationThatDescribesAnUnhandledRequestReportsItOnce() async throws {
        let issues = try await issues { server in
            await #expect(throws: Planned.self) { try await server.send(.make("GET", "/users")) }
        }

        #expect(issues.map { "\($0)".contains("of type Planned") } == [true])
    }

    @Test func unhandledRequestFailsTheTestThatExpectsItsError() async throws {
        let issues = try await issues { server in
            await #expect(throws: UnhandledRequestError.self) {
                try await server.send(.make("GET", "/users"))
            }
        }

        #expect(issues.map(text).map { $0.hasPrefix("Unhandled request: GET") } == [true])
    }

    @Test func repeatedUnhandledRequestErrorIsReportedOnce() async throws {
        let issues = try await issues { server in
            _ = await Result { try await server.session.send(.make("GET", "/users")) }
            _ = try await server.session.send(.make("GET", "/users"))
        }

        #expect(issues.map { $0.error is UnhandledRequestError } == [true])
    }

    @Test func repeatedUnhandledRequestIsReportedWithItsCount() async throws {
        let issues = try await issues { server in
            for _ in 0..<3 { _ = await Result { try await server.send(.make("GET", "/users")) } }
        }

        #expect(issues.count == 1)
        #expect(issues.first.map(text)?.hasSuffix(" (3 times)") == true)
    }

    @Test func unhandledRequestAndUnusedRoutesAreOneFailure() async throws {
        let issues = try await issues { server in
            server.on(.post("/users"), reply: .status(201))
            server.on(.get("/dogs"), reply: .status(200))
            _ = await Result { try await server.session.send(.make("GET", "/users")) }
        }

        #expect(issues.map(text).map { $0.hasPrefix("Unhandled request: GET") } == [true])
    }

    @Test(arguments: [
        (RequestPattern.path("/users"), MockResponse.status(0)), (.get("/users?a"), .status(200)),
        (.any.json(Double.nan), .status(200)), (.get("/{id}/{id}"), .json(text: "{")),
        (.post("https://api.example.com/users?token=abc"), .status(200)),
    ])
    func invalidRouteIsOneFailure(pattern: RequestPattern, reply: MockResponse) async throws {
        let dropped = try await issues { server in
            server.on(.get("/dogs"), reply: .status(200))
            server.on(pattern, reply: reply)
            _ = await Result { try await server.session.send(.make("GET", "/users")) }
        }
        let thrown = try await issues { server in
            server.on(pattern, reply: reply)
            let client = APIClient(transport: server.session)
            _ = try await client.load(PostUser(), with: User(id: 1, name: "Max"))
        }

        #expect(dropped.map(text).map { $0.hasPrefix("A route is invalid: ") } == [true])
        #expect(thrown.count == 1)
        #expect(thrown.first?.error is APIError)
        let problem = try #require(dropped.first.map(text)).dropFirst("A route is invalid: ".count)
        #expect(thrown.first.map(text)?.contains(": A route is invalid: \(problem)") == true)
    }

    @Test func closureThatReturnsAnInvalidResponseIsOneFailure() async throws {
        let line = #line + 2
        let issues = try await issues { server in
            server.on(.any) { _ in .status(0) }
            _ = try await server.session.send(.make("GET", "/users"))
        }

        #expect(
            issues.map(text) == [
                "FailureReportingTests.swift:\(line): A route is invalid: 0 is not the status of a "
                    + "final response. Use a number from 200 through 999"
            ])
    }

    @Test(arguments: [true, false])
    func thrownErrorSuppressesUnrequestedRoutes(serverIsReleased: Bool) async throws {
        let issues = try await issues { server in
            let server = serverIsReleased ? MockServer() : server
            server.on(.get("/users"), reply: .status(200))
            throw Planned()
        }

        #expect(issues.count == 1)
        #expect(issues.first?.error is Planned)
    }

    #if compiler(>=6.3)
    @Test func unhandledRequestInAWarningFailsTheTest() async throws {
        let issues = try await issues { server in
            let error = await #expect(throws: UnhandledRequestError.self) {
                try await server.send(.make("GET", "/users"))
            }
            let message = try #require(error).description
            Issue.record(Comment(rawValue: message), severity: .warning)
        }

        #expect(issues.map(\.severity) == [.warning, .error])
    }
    #endif

    @Test func droppedUnhandledRequestIsReportedBesideAThrownOneWithAnotherBody() async throws {
        let issues = try await issues { server in
            for body in ["a", "b"] {
                let request = URLRequest.make("POST", "/users", body: Data(body.utf8))
                if body == "a" {
                    _ = await Result { try await server.send(request) }
                } else {
                    _ = try await server.send(request)
                }
            }
        }

        #expect(issues.map { $0.error is UnhandledRequestError } == [false, true])
        #expect(issues.map(text).map { $0.contains("body: a") } == [true, false])
    }

    @Test func serverCreatedInATestIsVerifiedWithIt() async throws {
        let issues = try await issues { _ in
            let kept = MockServer()
            kept.on(.get("/kept"), reply: .status(200))
            MockServer().on(.get("/released"), reply: .status(200))
            withExtendedLifetime(kept) {}
        }

        #expect(issues.map(text).sorted().map { $0.prefix(8) } == ["GET /kep", "GET /rel"])
    }

    @Test func testThatUsesEachRoutePasses() async throws {
        let issues = try await issues { server in
            server.on(.any, reply: .status(404), times: .anyNumber)
            server.on(.get("/users"), reply: .status(200))
            _ = try await server.session.send(.make("GET", "/users"))
        }

        #expect(issues.isEmpty)
    }

    @Test func verifyReportsAFailureOnce() async throws {
        let server = MockServer()
        server.on(.get("/a"), reply: .status(200))

        withKnownIssue { server.verify() }
        server.verify()

        #expect(server.failures.isEmpty)
    }

    @Test func verifyCountsRequestsOfAnyRoute() async throws {
        let server = MockServer(unhandled: .reply(.status(404)))
        for page in 1...3 { _ = try await server.send(.make("GET", "/dogs?page=\(page)")) }

        server.verify(.get("/dogs"), times: 3)
        server.verify(.post("/dogs"), times: 0)
        let line = #line + 2
        withKnownIssue {
            server.verify(.get("/dogs"), times: 2)
        } matching: { issue in
            issue.sourceLocation?.line == line
                && issue.comments.first?.rawValue == """
                    GET /dogs was requested 3 times, expected exactly 2. The server received:
                      - GET https://api.example.com/dogs?page=1
                      - GET https://api.example.com/dogs?page=2
                      - GET https://api.example.com/dogs?page=3
                    """
        }
    }

    @Test func listOfRequestsHasALimit() async throws {
        let server = MockServer(unhandled: .reply(.status(404)))
        let path = "/" + String(repeating: "a", count: 1000)
        for _ in 0..<60 { _ = try await server.send(.make("GET", path)) }

        withKnownIssue {
            server.verify(.get("/dogs"))
        } matching: { issue in
            let lines = text(issue).split(separator: "\n")
            return text(issue).utf8.count <= 64 << 10 && lines.allSatisfy { $0.count <= 500 }
                && lines.last == "  … and \(60 - (lines.count - 2)) more requests"
        }
    }

    @Test func verifyReportsThatNoRequestArrived() {
        withKnownIssue {
            MockServer().verify(.get("/dogs"))
        } matching: { issue in
            issue.comments.first?.rawValue
                == "GET /dogs was requested 0 times, expected exactly 1. The server received: nothing"
        }
    }

    @Test func failuresCarryMessageAndLocation() async {
        let server = MockServer()
        server.on(.get("/a"), reply: .status(200)); let line = #line

        let failure = server.failures.first
        #expect(failure?.message.hasPrefix("GET /a was requested 0 times, expected") == true)
        #expect(failure?.location.map { "\($0.filePath)" } == #filePath)
        #expect(
            failure.map { "\($0)" }
                == "FailureReportingTests.swift:\(line): \(failure?.message ?? "")")
    }

    @Test func currentServerWithoutTheTraitFailsWithAdvice() {
        withKnownIssue {
            #expect(MockServer.current.requests.isEmpty)
        } matching: { issue in
            issue.comments.first?.rawValue == """
                MockServer.current has no server. Add the trait .mockServer to the test or its suite.
                """ && issue.sourceLocation == Test.current?.sourceLocation
        }
    }

    #if (os(macOS) || os(Linux)) && compiler(>=6.2)
    // In another process, because the issue belongs to no test, so none can expect it.
    @Test func failureOfADetachedTaskFailsTheRun() async {
        await withKnownIssue {
            await #expect(processExitsWith: .success) {
                await Task.detached { _ = MockServer.current }.value
            }
        } matching: { issue in
            "\(issue)".contains("In Swift Testing, read it in a task of the test")
        }
    }
    #endif
}
