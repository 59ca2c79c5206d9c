import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer) struct MockResponseJSONTests {
    private let server = MockServer.current

    private func value(_ path: String) async throws -> HTTPBody.JSON {
        let (data, _) = try await server.session.data(for: .make("GET", path))
        return try JSONDecoder().decode(HTTPBody.JSON.self, from: data)
    }

    @Test func responseIsALiteralOrVariablesOfDifferentTypes() async throws {
        let (id, name) = (7, "Rex")
        server.on(.get("/literal"), reply: .json(["id": 7, "name": "Rex", "tags": [nil, "a"]]))
        server.on(.get("/variables"), reply: .json(["id": id, "name": name]))
        server.on(.get("/empty"), reply: .json([:]))
        server.on(.get("/text"), reply: .json(text: #"[{"id":7}]"#))

        #expect(try await value("/literal") == ["id": 7, "name": "Rex", "tags": [nil, "a"]])
        #expect(try await value("/variables") == ["id": 7, "name": "Rex"])
        #expect(try await value("/empty") == [:])
        #expect(try await value("/text") == [["id": 7]])
    }

    @Test func patternMatchesALiteralOrVariablesOfDifferentTypes() async throws {
        let (id, name, owner) = (7, "Rex", String?.none)
        let body = Data(#"{"id": 7, "name": "Rex", "owner": null}"#.utf8)
        server.on(.post("/dogs"), reply: .status(201))
        _ = try await server.send(.make("POST", "/dogs", body: body))

        for pattern: RequestPattern in [
            .post("/dogs").json(["id": 7, "name": "Rex", "owner": nil]),
            .post("/dogs").json(["id": id, "name": name, "owner": owner]),
            .post("/dogs").json(text: #"{"name": "Rex", "id": 7.0, "owner": null}"#),
            .post("/dogs").jsonContaining(["id": 7, "name": "Rex"]),
            .post("/dogs").jsonContaining(["id": id, "name": name]),
            .post("/dogs").jsonContaining(text: #"{"id": 7}"#),
        ] {
            #expect(server.requests(matching: pattern).count == 1, "\(pattern)")
        }
        #expect(server.requests(matching: .post().json(["id": 7, "name": "Rex"])).isEmpty)
        #expect(server.requests(matching: .post().jsonContaining(["id": "7", "b": 1])).isEmpty)
    }

    @Test func textThatIsNotJSONMakesAWrongRoute() {
        withKnownIssue {
            server.on(.get("/a"), reply: .json(text: "{"), times: .anyNumber)
            server.on(.post("/b").json(text: "{"), reply: .status(200), times: .anyNumber)
            server.on(.post("/c").jsonContaining(text: ""), reply: .status(200), times: .anyNumber)
        } matching: { issue in
            "\(issue)".contains("the text is not valid JSON")
        }
    }
}
