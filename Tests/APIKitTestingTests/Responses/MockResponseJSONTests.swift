import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn) struct MockResponseJSONTests {
    private let server = MockServer()
    private let user = User(id: 7, name: "Ada")
    private let nickname: String? = nil

    private func value(_ reply: MockResponse) async throws -> JSONValue {
        server.on(.get("/a"), reply: reply)
        let (data, response) = try await server.session.data(for: .make("GET", "/a"))
        let http = try #require(response as? HTTPURLResponse)
        #expect(http.value(forHTTPHeaderField: "Content-Type") == "application/json")
        return try JSONDecoder().decode(JSONValue.self, from: data)
    }

    @Test func replyIsALiteralWithVariablesOfDifferentTypes() async throws {
        #expect(
            try await value(.json(["id": user.id, "name": user.name, "nick": nickname]))
                == ["id": 7, "name": "Ada", "nick": nil])
        #expect(
            try await value(.json([["id": user.id, "name": user.name], ["id": 8]]))
                == [["id": 7, "name": "Ada"], ["id": 8]])
        #expect(
            try await value(.json(["user": .json(["id": user.id, "name": user.name]), "n": 2]))
                == ["user": ["id": 7, "name": "Ada"], "n": 2])
    }

    @Test func closureReturnsALiteral() async throws {
        server.on(.get("/users/{id}")) { request in
            .json(["id": request.parameters["id"], "age": 36])
        }

        #expect(try await server.text("/users/7").contains(#""id":"7""#))
    }

    @Test func replyIsATextSentUnchanged() async throws {
        server.on(.get("/text"), reply: .json(text: #" [{"id":7}]"#, status: 202))

        let (data, response) = try await server.session.data(for: .make("GET", "/text"))

        #expect(String(decoding: data, as: UTF8.self) == #" [{"id":7}]"#)
        #expect((response as? HTTPURLResponse)?.statusCode == 202)
    }

    @Test func textThatIsNotJSONMakesAWrongRoute() {
        server.on(.get("/a"), reply: .json(text: "{"))
        server.on(.post("/b").json(text: "[1"), reply: .status(200))
        server.on(.post("/c").jsonContaining(text: ""), reply: .status(200))
        server.on(.get("/d"), reply: .json(text: #"{"a": [1, "\\"], "b": 2, }"#))
        server.on(.get("/e"), reply: .json(text: #"[{"a": 1}, {"b": ",]\",}"},\#n\#t]"#))
        server.on(.get("/f"), reply: .json(text: #"{"a,]": [1, {}, "\\", "}"], "b": ",}"}"#))

        let messages = server.failures.map(\.message)
        #expect(messages.count == 5)
        for message in messages {
            #expect(message.hasPrefix("A route is invalid: the text is not valid JSON: "))
            #expect(!message.contains("Error"))
        }
    }

    @Test func valueThatCannotBeEncodedIsNamed() {
        server.on(.get("/a"), reply: .json(["password": "hunter2", "age": Double.nan]))
        server.on(.post("/b").json(["id": user.id, "age": Double.nan, "a": "b"]))

        #expect(
            server.failures.map(\.message) == [
                "A route is invalid: a JSONLiteral cannot be encoded as JSON: age cannot be encoded",
                "A route is invalid: a JSONLiteral cannot be encoded as JSON: age cannot be encoded",
            ])
    }
}
