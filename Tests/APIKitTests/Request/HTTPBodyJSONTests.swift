import APIKit
import Foundation
import Testing

@Suite(.inTurn) struct HTTPBodyJSONTests {
    private let dog = Dog(id: 7, name: "Rex")
    private let nickname: String? = nil

    private let sorted: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }()

    private func text(_ body: HTTPBody) throws -> String {
        #expect(body.contentType == "application/json")
        return String(decoding: try body.data(), as: UTF8.self)
    }

    @Test func literalHasValuesOfDifferentTypes() throws {
        let body = try HTTPBody.json(
            [
                "id": 1, "name": "Rex", "tags": ["small", nil, 1.1],
                "toy": ["new": true, "age": 2],
            ],
            encoder: sorted)

        #expect(
            try text(body)
                == #"{"id":1,"name":"Rex","tags":["small",null,1.1],"toy":{"age":2,"new":true}}"#)
        #expect(try text(.json([])) == "[]")
        #expect(try text(.json([:])) == "{}")
        #expect(try text(.json([1, "a", nil])) == #"[1,"a",null]"#)
        #expect(try text(.json(nil)) == "null")
    }

    @Test func literalHasVariablesOfDifferentTypes() throws {
        #expect(
            try text(.json(["id": dog.id, "name": dog.name, "nick": nickname], encoder: sorted))
                == #"{"id":7,"name":"Rex","nick":null}"#)
        #expect(
            try text(.json(["dog": dog, "dogs": [dog], "count": 2, "x": nil], encoder: sorted))
                == #"{"count":2,"dog":{"id":7,"name":"Rex"},"dogs":[{"id":7,"name":"Rex"}],"x":null}"#
        )
        #expect(
            try text(.json([["id": dog.id, "name": dog.name], ["id": 8]], encoder: sorted))
                == #"[{"id":7,"name":"Rex"},{"id":8}]"#)
    }

    @Test func nestedLiteralHasVariablesOfDifferentTypes() throws {
        let names = [dog].map { ["id": $0.id, "name": $0.name] as HTTPBody.JSONLiteral }

        #expect(
            try text(
                .json(
                    ["dog": .json(["id": dog.id, "name": dog.name]), "count": 2], encoder: sorted))
                == #"{"count":2,"dog":{"id":7,"name":"Rex"}}"#)
        #expect(
            try text(.json(["dogs": .json([["id": dog.id, "name": dog.name]])], encoder: sorted))
                == #"{"dogs":[{"id":7,"name":"Rex"}]}"#)
        #expect(
            try text(.json(["names": names, "count": 1], encoder: sorted))
                == #"{"count":1,"names":[{"id":7,"name":"Rex"}]}"#)
    }

    @Test func nestedLiteralBesideAVariableCanBeEmptyOrHaveConstants() throws {
        let body = try HTTPBody.json(
            ["name": dog.name, "a": .json([]), "b": .json([:]), "c": .json(["x", 1, nil])],
            encoder: sorted)

        #expect(try text(body) == #"{"a":[],"b":{},"c":["x",1,null],"name":"Rex"}"#)
    }

    @Test func literalHasVariablesOfOneType() throws {
        #expect(try text(.json(["id": dog.id, "a": 1], encoder: sorted)) == #"{"a":1,"id":7}"#)
        #expect(try text(.json([dog.id, 3])) == "[7,3]")
        #expect(try text(.json(["ids": [dog.id]])) == #"{"ids":[7]}"#)
        #expect(try text(.json("\(dog.id)")) == #""7""#)
    }

    @Test func encoderChangesValuesButNotTheNamesOfALiteral() throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = .sortedKeys
        let name = (firstName: "Rex", born: Date(timeIntervalSince1970: 5))

        #expect(
            try text(.json(["firstName": name.firstName, "bornAt": name.born], encoder: encoder))
                == #"{"bornAt":5,"firstName":"Rex"}"#)
        #expect(
            try text(.json(["firstName": "Rex", "bornAt": 5], encoder: encoder))
                == #"{"bornAt":5,"firstName":"Rex"}"#)
    }

    @Test func lastValueOfARepeatedNameCounts() throws {
        #expect(try text(.json(["a": dog.id, "a": dog.name])) == #"{"a":"Rex"}"#)
        #expect(["a": 1, "a": "x"] as JSONValue == ["a": "x"])
    }

    @Test func numberThatIsNotFiniteThrows() {
        #expect(throws: EncodingError.self) { try HTTPBody.json(["a": Double.nan, "b": dog.name]) }
        #expect(throws: EncodingError.self) { try HTTPBody.json(.number(.nan)) }
        #expect(throws: EncodingError.self) { try HTTPBody.json(.extremeNumber(.infinity)) }
    }

    @Test func textIsSentUnchanged() throws {
        #expect(try text(.json(text: #" [ {"id":1} ] "#)) == #" [ {"id":1} ] "#)
    }

    @Test(arguments: [#"{"id":}"#, "", "[1", "{a:1}", "[1]x", "nul", #""\q""#, "01", #"{"id":7,}"#])
    func textThatIsNotJSONThrows(text: String) throws {
        let error = try #require(throws: APIError.self) { try HTTPBody.json(text: text) }

        guard case .invalidRequest(let reason) = error.kind else {
            Issue.record(error)
            return
        }
        #expect(reason.hasPrefix("the text is not valid JSON: "))
        #expect(!reason.contains("Error") && !reason.contains("Domain"), "\(reason)")
    }

    @Test(arguments: ["1e400", "[1e-400]"])
    func textMayHaveANumberOfAnySize(number: String) throws {
        #expect(try text(.json(text: number)) == number)
    }

    @Test(arguments: [#"{"token": hunter2}"#, #"{"token":"hunter2\u12"}"#, #"["hunter2"#])
    func errorOfATextHidesSecrets(text: String) throws {
        let error = try #require(throws: APIError.self) { try HTTPBody.json(text: text) }

        #expect(!"\(error)".contains("hunter"), "\(error)")
        #expect(!String(reflecting: error).contains("hunter"))
    }
}
