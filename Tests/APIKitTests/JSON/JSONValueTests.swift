import APIKit
import Foundation
import Testing

@Suite(.inTurn) struct JSONValueTests {
    private func decoded(_ text: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    private static let values: [(String, JSONValue)] = [
        ("null", nil), ("true", true), ("0", 0), ("-7", -7), ("1.1", 1.1),
        ("9223372036854775807", 9_223_372_036_854_775_807),
        ("-9223372036854775808", .number(Decimal(Int64.min))),
        ("18446744073709551615", .number(Decimal(UInt64.max))),
        ("1e200", 1e200), ("1e200", .extremeNumber(1e200)), ("-1e-200", -1e-200),
        (#""1""#, "1"), ("[]", []), ("{}", [:]), ("[1,[2,null]]", [1, [2, nil]]),
        (#"{"a":{"b":null}}"#, ["a": ["b": nil]]),
    ]

    @Test(arguments: values)
    func valueIsDecodedAndEncoded(text: String, value: JSONValue) throws {
        #expect(try decoded(text) == value)
        #expect(
            try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value
        )
    }

    @Test func equalityComparesTheMeaning() throws {
        #expect(try decoded(#"{"b":1.0,"a":"\u00e9"}"#) == ["a": "é", "b": 1])
        #expect(try decoded("[1.0,10e-1]").hashValue == ([1, 1] as JSONValue).hashValue)
        #expect(try decoded("1") != true)
        #expect(try decoded("1") != "1")
        #expect("\(7)" as JSONValue == .string("7"))
    }

    private static func nested(_ depth: Int) -> [String] {
        [
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth),
            String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth),
        ]
    }

    @Test(arguments: nested(64))
    func valueHasUpTo64Levels(text: String) throws {
        #expect(try JSONEncoder().encode(decoded(text)) == Data(text.utf8))
    }

    @Test(arguments: nested(65))
    func moreThan64LevelsThrow(text: String) throws {
        let error = try #require(throws: DecodingError.self) { try decoded(text) }

        guard case .dataCorrupted(let context) = error else { throw error }
        #expect(context.codingPath.count == 64)
        #expect(context.debugDescription == "The value has more than 64 levels.")
        #expect(throws: APIError.self) { try HTTPBody.json(text: text) }
    }

    @Test func decoderDoesNotChangeNames() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase

        let value = try decoder.decode(
            JSONValue.self, from: Data(#"{"a_b":[{"c_d":1}]}"#.utf8))

        #expect(value == ["a_b": [["c_d": 1]]])
    }

    @Test func propertyListsKeepTheValue() throws {
        let value: JSONValue = ["a": [1, "x", true, 1.5, nil], "b": [:]]

        let data = try PropertyListEncoder().encode(value)

        #expect(try PropertyListDecoder().decode(JSONValue.self, from: data) == value)
    }

    @Test func propertyListWithAValueThatJSONLacksThrowsItsPath() throws {
        let list = ["id": 1, "born": ["at": Date()]] as [String: Any]
        let data = try PropertyListSerialization.data(
            fromPropertyList: list, format: .xml, options: 0)

        let error = try #require(throws: DecodingError.self) {
            try PropertyListDecoder().decode(JSONValue.self, from: data)
        }

        guard case .dataCorrupted(let context) = error else { throw error }
        #expect(context.codingPath.map(\.stringValue) == ["born", "at"])
    }

    @Test func numbersOfAPropertyListEqualThoseOfALiteral() throws {
        let data = try PropertyListSerialization.data(
            fromPropertyList: ["i": 1, "r": 1.5, "b": true], format: .xml, options: 0)

        #expect(
            try PropertyListDecoder().decode(JSONValue.self, from: data)
                == ["i": 1, "r": 1.5, "b": true])
    }

    @Test func requestTypeHasItAsInputAndOutput() async throws {
        struct Echo: APIRequest {
            typealias ResponseDataType = JSONValue

            func makeRequest(from value: JSONValue) throws -> URLRequest {
                try URLRequest(.post, "echo", body: .json(value))
            }
        }
        let request = try Echo().makeRequest(from: ["id": 7, "name": "Rex"])

        #expect(
            try Echo().parseResponse(data: #require(request.httpBody))
                == ["id": 7, "name": "Rex"])
    }
}
