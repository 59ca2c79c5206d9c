import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// How a test reports its unhandled requests, each once.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct MissReportingTests {
    private struct Planned: Error {}

    @Test func unhandledRequestFailsTheTestWhenTheCodeDropsItsError() async throws {
        let issues = try await MockServer.issues { server in
            _ = await Result { try await server.session.send(.make("GET", "/users")) }
        }

        #expect(issues.count == 1)
        #expect(issues.first.map(\.text)?.hasPrefix("Unhandled request: GET") == true)
        #expect(issues.first?.sourceLocation == Test.current?.sourceLocation)
    }

    @Test func unhandledRequestInsideAnotherErrorIsReportedOnce() async throws {
        let issues = try await MockServer.issues { server in
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
        let tested = isFull ? patterns + patterns : [patterns[number % patterns.count]]
        for (index, pattern) in tested.enumerated() {
            let isLoader = index >= patterns.count
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
        let issues = try await MockServer.issues { server in
            await #expect(throws: Planned.self) { try await server.send(.make("GET", "/users")) }
        }

        #expect(issues.map { "\($0)".contains("of type Planned") } == [true])
    }

    @Test func unhandledRequestFailsTheTestThatExpectsItsError() async throws {
        let issues = try await MockServer.issues { await $0.error(of: .make("GET", "/users")) }

        #expect(issues.map(\.text).map { $0.hasPrefix("Unhandled request: GET") } == [true])
    }

    @Test func repeatedUnhandledRequestErrorIsReportedOnce() async throws {
        let issues = try await MockServer.issues { server in
            _ = await Result { try await server.session.send(.make("GET", "/users")) }
            _ = try await server.session.send(.make("GET", "/users"))
        }

        #expect(issues.map { $0.error is UnhandledRequestError } == [true])
    }

    @Test func repeatedUnhandledRequestIsReportedWithItsCount() async throws {
        let issues = try await MockServer.issues { server in
            for _ in 0..<3 { _ = await Result { try await server.send(.make("GET", "/users")) } }
        }

        #expect(issues.count == 1)
        #expect(issues.first.map(\.text)?.hasSuffix(" (3 times)") == true)
    }

    @Test func unhandledRequestAndUnusedRoutesAreOneFailure() async throws {
        let issues = try await MockServer.issues { server in
            server.on(.post("/users"), reply: .status(201))
            server.on(.get("/dogs"), reply: .status(200))
            _ = await Result { try await server.session.send(.make("GET", "/users")) }
        }

        #expect(issues.map(\.text).map { $0.hasPrefix("Unhandled request: GET") } == [true])
    }

    @Test(arguments: [
        (RequestPattern.path("/users"), MockResponse.status(0)), (.get("/users?a"), .status(200)),
        (.any.json(Double.nan), .status(200)), (.get("/{id}/{id}"), .json(text: "{")),
        (.post("https://api.example.com/users?token=abc"), .status(200)),
    ])
    func invalidRouteIsOneFailure(pattern: RequestPattern, reply: MockResponse) async throws {
        let dropped = try await MockServer.issues { server in
            server.on(.get("/dogs"), reply: .status(200))
            server.on(pattern, reply: reply)
            _ = await Result { try await server.session.send(.make("GET", "/users")) }
        }
        let thrown = try await MockServer.issues { server in
            server.on(pattern, reply: reply)
            let client = APIClient(transport: server.session)
            _ = try await client.load(PostUser(), with: User(id: 1, name: "Max"))
        }

        #expect(dropped.map(\.text).map { $0.hasPrefix("A route is invalid: ") } == [true])
        #expect(thrown.count == 1)
        #expect(thrown.first?.error is APIError)
        let problem = try #require(dropped.first.map(\.text)).dropFirst(
            "A route is invalid: ".count)
        #expect(thrown.first.map(\.text)?.contains(": A route is invalid: \(problem)") == true)
    }

    #if compiler(>=6.3)
    @Test func unhandledRequestInAWarningFailsTheTest() async throws {
        let issues = try await MockServer.issues { server in
            let error = await server.error(of: .make("GET", "/users"))
            let message = try #require(error).description
            Issue.record(Comment(rawValue: message), severity: .warning)
        }

        #expect(issues.map(\.severity) == [.warning, .error])
    }
    #endif

    @Test func droppedUnhandledRequestIsReportedBesideAThrownOneWithAnotherBody() async throws {
        let issues = try await MockServer.issues { server in
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
        #expect(issues.map(\.text).map { $0.contains("body: a") } == [true, false])
    }
}
