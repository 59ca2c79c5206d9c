import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// Replies of routes beside a recording of the real server.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct StubComparisonTests {
    private let folder: RecordingFolder

    init() throws { folder = try .ofDogs() }

    /// Returns the warnings after a request to a route.
    private func warnings(
        _ path: String, _ reply: MockResponse, replays: Bool = false
    ) async throws -> [String] {
        let server = MockServer()
        let cassette = folder.moved(Cassette("users", options: [.allowsUnusedEntries]))
        if replays { server.replay(cassette) } else { server.compareStubs(with: cassette) }
        server.on(.get(path), reply: reply, line: 7)
        let url = try #require(URL(string: "https://staging.example.com\(path)"))
        _ = await Result.of { try await server.session.send(URLRequest(url: url)) }
        #expect(server.failures == [])
        let state = server.state.withLock { $0 }
        let warnings = state.recordings?.warnings(after: state) ?? []
        #expect(warnings.allSatisfy { $0.isWarning && $0.location?.line == 7 })
        return warnings.map(\.message)
    }

    @Test(arguments: [true, false])
    func memberThatNoRecordedResponseHasIsAWarning(replays: Bool) async throws {
        let reply = MockResponse.json([["id": "1", "race": "akita", "age": 2]])

        #expect(
            try await warnings("/dogs", reply, replays: replays) == [
                """
                The reply of GET /dogs differs from the recorded responses:
                  - [].id is now string, and was number
                  - [].race is new
                """
            ])
    }

    @Test(
        arguments: [
            ("/dogs", .json([["id": 1]])), ("/dogs", .json([["breed": nil], ["breed": "x"]])),
            ("/dogs", .json([])), ("/dogs/99", .json(["born": "today"])),
            ("/dogs/18", .json(["message": 7])),
            ("/cats", .json(["x": 1])), ("/cats/17", .json(["id": 1, "x": 1])),
            ("/dogs/rex/toys", .json(["id": 1, "x": 1])),
            ("/dogs", .json(["x": 1], status: 404)),
            ("/dogs", .text("x")), ("/dogs", .json([["x": 1]]).truncated(after: 3)),
            ("/dogs", .failure(.timedOut)),
        ] as [(String, MockResponse)])
    func replyThatSaysLessOrSomethingElseIsNoWarning(
        path: String, reply: MockResponse
    ) async throws {
        #expect(try await warnings(path, reply) == [])
    }

    @Test func stubWithOtherNamesOnlyIsAWarning() async throws {
        let found = try await warnings("/dogs/17", .json(["dogId": 1, "birth": "x"]))

        #expect(found.first?.contains("dogId is new") == true)
    }

    @Test func stubOfAnotherResourceOfTheKindIsCompared() async throws {
        let found = try await warnings("/dogs/rex", .json(["id": "rex", "born": "today"]))

        #expect(found.first?.contains("id is now string, and was number") == true)
        #expect(try await warnings("/dogs/breeds", .json(["names": ["akita"]])) == [])
    }

    @Test(arguments: [("/dogs/{id}", 1), ("/dogs/**", 0)])
    func templateOfTheRouteTellsThatResourcesAreOfOneKind(path: String, count: Int) async throws {
        let server = MockServer()
        server.compareStubs(with: folder.moved(Cassette("users")))
        server.on(.get(path), reply: .json(["dogName": "Rex"]))
        _ = try await server.session.send(.make("GET", "/dogs/rex"))

        let state = server.state.withLock { $0 }
        #expect(state.recordings?.warnings(after: state).count == count)
    }

    @Test func listOfAnotherResourceOfTheKindIsCompared() async throws {
        try folder.write([
            RecordedExchange(
                request: RecordedRequest("GET", .make("/users/alice/dogs")),
                response: RecordedResponse(status: 200, body: Data(#"[{"id": 1}]"#.utf8)))
        ])

        #expect(
            try await warnings("/users/bob/dogs", .json([["id": 1, "race": "akita"]])).count == 1)
    }

    @Test func stubIsHeldByTheReaderOfItsLoad() async throws {
        struct GetRates: APIRequest {
            typealias ResponseDataType = [String: Double]
            func makeRequest(from: Void) throws -> URLRequest { try URLRequest(.get, "/rates") }
        }
        try folder.write([
            RecordedExchange(
                request: RecordedRequest("GET", .make("/rates")),
                response: RecordedResponse(status: 200, body: Data(#"{"EUR": 1, "USD": 2}"#.utf8)))
        ])
        for (isTyped, count) in [(true, 0), (false, 1)] {
            let server = MockServer()
            server.compareStubs(with: folder.moved(Cassette("users")))
            // One name is known, so only the parser can tell that the names are data.
            server.on(.get("/rates"), reply: .json(["EUR": 1.5, "JPY": 2]))
            if isTyped {
                _ = try await APIClient(baseURL: .make("/"), transport: server.session)
                    .load(GetRates())
            } else {
                _ = try await server.session.send(.make("GET", "/rates"))
            }

            let state = server.state.withLock { $0 }
            #expect(state.recordings?.warnings(after: state).count == count)
        }
    }

    @Test func newNameIsDataOnlyIfADictionaryHoldsIt() async throws {
        struct Rates: Decodable, Sendable { var base: String, rates: [String: Double]? }
        func count<Request: APIRequest>(_ stub: JSONValue, _ request: Request) async throws -> Int
        where Request.RequestDataType == Void {
            let server = MockServer()
            server.compareStubs(with: folder.moved(Cassette("users")))
            server.on(.get("/dogs"), reply: .json(stub))
            let client = APIClient(baseURL: .make("/"), transport: server.session)
            // The client cannot parse each stub.
            _ = await Result.of { try await client.load(request) }
            let state = server.state.withLock { $0 }
            return state.recordings?.warnings(after: state).count ?? 0
        }
        let recorded = #"{"base": "EUR", "rates": {"USD": 1}}"#
        try folder.write([
            RecordedExchange(
                request: RecordedRequest("GET", .make("/dogs")),
                response: RecordedResponse(status: 200, body: Data(recorded.utf8)))
        ])
        let stub: JSONValue = ["base": "EUR", "rates": ["USD": 2, "JPY": 3]]

        #expect(try await count(stub, Get<Rates>()) == 0)
        #expect(try await count(["base": "EUR", "rate": ["USD": 2]], Get<Rates>()) == 1)
        #expect(try await count(["base": "EUR", "rates": ["JPY": "x"]], Get<Rates>()) == 1)
        // It holds any name, so the name may be a mistake.
        #expect(try await count(stub, Get<JSONValue>()) == 1)
    }

    @Test(
        arguments: [
            (#"{"query": "query { NAME { id } }"}"#, #"{"data": {"dogs": [{"id": 1}]}}"#),
            (#"[{"method": "NAME"}, {"method": "ping"}]"#, #"[{"result": {"id": 1}}]"#),
        ])
    func stubOfAnotherOperationIsNotCompared(query: String, reply: String) async throws {
        func body(_ name: String) -> Data { Data(query.replacing("NAME", with: name).utf8) }
        try folder.write([
            RecordedExchange(
                request: RecordedRequest("POST", .make("/graphql"), body: body("dogs")),
                response: RecordedResponse(status: 200, body: Data(reply.utf8)))
        ])
        for (name, count) in [("cats", 0), ("dogs", 1), (" dogs", 1)] {
            let server = MockServer()
            server.compareStubs(with: folder.moved(Cassette("users")))
            let stub = try JSONValue(text: Data(reply.replacing("id", with: "lives").utf8))
            server.on(.post("/graphql"), reply: .json(stub))
            var request = URLRequest.make("POST", "/graphql")
            request.httpBody = body(name)
            _ = try await server.session.send(request)

            let state = server.state.withLock { $0 }
            #expect(state.recordings?.warnings(after: state).count == count)
        }
    }

    @Test(arguments: [
        ("operationName=dogs", "operationName=cats", false),
        ("query={dogs}", "query={cats}", false), ("query={dogs}", "query={ dogs }", true),
        ("query=dogs", "query=cats", true),
    ])
    func operationOfAGetIsInItsQuery(
        recorded: String, sent: String, isCompared: Bool
    ) async throws {
        try folder.write([.make("GET", "/graphql?\(recorded)", reply: #"{"id": 1}"#)])
        let server = MockServer()
        server.compareStubs(with: folder.moved(Cassette("users")))
        server.on(.get("/graphql"), reply: .json(["lives": 9]))
        _ = try await server.send(.make("GET", "/graphql?\(sent)"))

        let state = server.state.withLock { $0 }
        #expect(state.recordings?.warnings(after: state).count == (isCompared ? 1 : 0))
    }

    #if compiler(>=6.3)
    private static let severities = Locked<[Issue.Severity]>([])

    @Test(
        .compactMapIssues { issue in
            severities.withLock { $0.append(issue.severity) }
            return nil
        })
    func warningIsRecordedAndFailsNoTest() async throws {
        let server = MockServer()
        server.compareStubs(with: folder.moved(Cassette("users")))
        server.on(.get("/dogs"), reply: .json([["x": 1]]))
        _ = try await server.session.send(.make("GET", "/dogs"))

        server.verify()

        // The trait receives each issue when it is recorded.
        #expect(Self.severities.withLock { $0 } == [.warning])
    }
    #endif

    @Test func missingRecordingFailsTheTest() {
        let server = MockServer()
        server.compareStubs(with: folder.moved(Cassette("cats", mode: .none)), line: 9)

        #expect(server.failures.map(\.location?.line) == [9])
    }
}
