import APIKit
import Foundation
import Testing

@Suite struct HTTPBodyJSONTests {
    private func text(_ body: HTTPBody) throws -> String {
        String(decoding: try body.data(), as: UTF8.self)
    }

    private let sorted: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }()

    @Test func literalOfDifferentTypesIsJSON() throws {
        let nested = try HTTPBody.json(
            ["id": 1, "name": "Rex", "tags": ["small", nil, 1.1], "toy": ["new": true]],
            encoder: sorted)

        #expect(
            try text(nested)
                == #"{"id":1,"name":"Rex","tags":["small",null,1.1],"toy":{"new":true}}"#)
        #expect(try text(.json([])) == "[]")
        #expect(try text(.json([:])) == "{}")
        #expect(nested.contentType == "application/json")
    }

    @Test func variablesOfDifferentTypesAreJSON() throws {
        let (id, name, owner) = (7, "Rex", String?.none)

        let body = try HTTPBody.json(
            [
                "id": id, "name": name, "owner": owner, "dog": Dog(id: id, name: name),
                "toys": [name],
            ],
            encoder: sorted)

        #expect(
            try text(body)
                == #"{"dog":{"id":7,"name":"Rex"},"id":7,"name":"Rex","owner":null,"toys":["Rex"]}"#
        )
    }

    @Test func variablesOfOneTypeAreJSON() throws {
        let (id, age) = (7, 3)

        #expect(try text(.json(["id": id, "age": age], encoder: sorted)) == #"{"age":3,"id":7}"#)
        #expect(try text(.json([id, age])) == "[7,3]")
        #expect(try text(.json(["ids": [id, age]])) == #"{"ids":[7,3]}"#)
    }

    @Test func strategyOfTheEncoderLeavesNamesOfMembersAlone() throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let (toy, age) = ("ball", 3)

        #expect(
            try text(
                .json(["favoriteToy": toy, "age": age, "dogID": nil as Int?], encoder: encoder)
            )
            .contains(#""favoriteToy":"ball""#))
    }

    @Test func lastMemberOfANameCounts() throws {
        let (first, last) = (1, "x")

        #expect(try text(.json(["a": first, "a": last])) == #"{"a":"x"}"#)
        #expect(["a": 1, "a": "x"] as HTTPBody.JSON == ["a": "x"])
    }

    @Test func memberThatCannotBeEncodedThrows() {
        let name = "x"

        #expect(throws: EncodingError.self) { try HTTPBody.json(["a": Double.nan, "b": name]) }
    }

    @Test func textIsSentUnchanged() throws {
        let body = try HTTPBody.json(text: #" [ {"id":1} ] "#)

        #expect(try text(body) == #" [ {"id":1} ] "#)
        #expect(body.contentType == "application/json")
        #expect(throws: DecodingError.self) { try HTTPBody.json(text: #"{"id":}"#) }
    }

    @Test(
        arguments: [
            ("null", nil), ("true", true), ("-7", -7), ("1.1", 1.1), ("1e200", .double(1e200)),
            (#""1""#, "1"), ("[1,[2]]", [1, [2]]), (#"{"a":{"b":null}}"#, ["a": ["b": nil]]),
        ] as [(String, HTTPBody.JSON)])
    func valueIsDecodedAndEncoded(text: String, value: HTTPBody.JSON) throws {
        #expect(try HTTPBody.JSON(text: text) == value)
        #expect(
            try JSONDecoder().decode(HTTPBody.JSON.self, from: JSONEncoder().encode(value)) == value
        )
    }

    @Test func valuesAreEqualByMeaning() throws {
        #expect(try HTTPBody.JSON(text: #"{"b":1.0,"a":"é"}"#) == ["a": "é", "b": 1])
        #expect(try HTTPBody.JSON(text: "1") != true)
        #expect(1e200 as HTTPBody.JSON == .double(1e200))
        #expect("\(7)" as HTTPBody.JSON == .string("7"))
    }
}
