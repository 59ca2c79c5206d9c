import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// Replies of routes that are responses of a recording.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct RecordedReplyTests {
    private let folder: RecordingFolder

    init() throws { folder = try .ofDogs() }

    /// Returns the body of a route, or the mistake in its reply.
    private func body(_ reply: MockResponse) async throws -> String {
        let server = MockServer()
        server.on(.get("/a"), reply: reply)
        if let problem = reply.problem { return problem }
        let (body, response) = try await server.session.send(.make("GET", "/a"))
        let length = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Length")
        #expect(length == nil || length == "\(body.count)")
        return String(decoding: body, as: UTF8.self)
    }

    private var cassette: Cassette { folder.moved(Cassette("users")) }

    @Test(arguments: [RequestPattern.get("/dogs"), .get("/dogs/**")])
    func firstRecordedResponseIsAStub(pattern: RequestPattern) async throws {
        #expect(
            try await body(.recorded(pattern, in: cassette))
                == #"[{"id": 1, "breed": null}, {"id": 2, "breed": "akita", "age": 3}]"#)
    }

    @Test(
        arguments: [
            (["born": "today"], [:], #"{"id":17,"born":"today"}"#),
            (["born": .some(nil)], [:], #"{"id":17,"born":null}"#),
            (["born": nil], [:], #"{"id":17}"#),
            (
                ["id": 1], ["tags": ["a"], "owner": ["name": "Ada"]],
                #"{"id":1,"born":"2026-01-01T12:00:00Z","tags":["a"],"owner":{"name":"Ada"}}"#
            ),
        ] as [([String: JSONValue?], [String: JSONValue], String)])
    func membersOfARecordedResponseChange(
        changes: [String: JSONValue?], additions: [String: JSONValue], json: String
    ) async throws {
        let text = try await body(
            .recorded(.get("/dogs/*"), in: cassette, changing: changes, adding: additions))

        let decoder = JSONDecoder()
        let (got, expected) = (Data(text.utf8), Data(json.utf8))
        #expect(
            try decoder.decode(JSONValue.self, from: got)
                == decoder.decode(JSONValue.self, from: expected))
    }

    @Test func elementsOfARecordedResponseAreRemovedByTheirOldIndices() async throws {
        let reply = MockResponse.recorded(
            .get("/dogs"), in: cassette, changing: ["[0]": nil, "[1].age": nil])

        #expect(try await body(reply).contains(#""id":2"#))
        #expect(try await !body(reply).contains("age"))
    }

    @Test(
        arguments: [
            (.get("/dogs/*"), ["nmae": "x"], [:], "there is no json.nmae. json has: born, id"),
            (.get("/dogs"), ["[2].id": 1], [:], "there is no json[2].id. json has 2 elements"),
            (.get("/dogs"), ["[0].id.x": 1], [:], "json[0].id is no object or array"),
            (.get("/dogs/*"), [:], ["id": 1], "json.id exists"),
            (.get("/dogs/*"), [:], ["a.b": 1], "there is no json.a.b"),
            (
                .get("/dogs/18"), [:], [:],
                "has no entry of GET /dogs/18 with a status of 2xx. It has GET"
            ),
            (.get("/dogs"), ["[": 1], [:], "is not a path to a JSON value"),
        ] as [(RequestPattern, [String: JSONValue?], [String: JSONValue], String)])
    func mistakeInARecordedResponseNamesWhatIsThere(
        pattern: RequestPattern, changes: [String: JSONValue?],
        additions: [String: JSONValue], problem: String
    ) async throws {
        let text = try await body(
            .recorded(pattern, in: cassette, changing: changes, adding: additions))

        #expect(text.contains(problem), "\(text)")
    }
}

extension RecordingFolder {
    /// A folder with a recording of a list of dogs, and of two of them.
    static func ofDogs() throws -> RecordingFolder {
        let folder = try RecordingFolder()
        func entry(_ path: String, _ body: String, status: Int = 200) -> RecordedExchange {
            RecordedExchange(
                request: RecordedRequest("GET", .make(path)),
                response: RecordedResponse(status: status, body: Data(body.utf8)))
        }
        try folder.write([
            entry("/dogs", #"[{"id": 1, "breed": null}, {"id": 2, "breed": "akita", "age": 3}]"#),
            entry("/dogs/17", #"{"id": 17, "born": "2026-01-01T12:00:00Z"}"#),
            entry("/dogs/18", #"{"message": "Gone"}"#, status: 404),
        ])
        return folder
    }
}
