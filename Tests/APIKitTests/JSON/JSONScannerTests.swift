import APIKit
import Foundation
import Testing

@Suite(.inTurn) struct JSONScannerTests {
    /// Returns the texts by their names, or `nil` for a text that is not JSON.
    private func values(_ text: String, ignoring names: Set<String> = []) -> [String: [String]]? {
        var values: [String: [String]] = [:]
        let isJSON = JSONScanner.scan(Data(text.utf8), at: "json", ignoring: names) {
            values[$0, default: []].append($2 ? "\"\($1)\"" : $1)
        }
        return isJSON ? values : nil
    }

    @Test func valueIsFlattened() {
        #expect(
            values(
                #" {"user": {"tags": ["a", 1.50], "first.name": null}, "a": "\u00e9\/", "a": {}} "#)
                == [
                    "json": ["{}"], "json.user": ["{}"], "json.user.tags": ["[2]"],
                    "json.user.tags[0]": [#""a""#], "json.user.tags[1]": ["1.5"],
                    #"json.user["first.name"]"#: ["null"], "json.a": [#""é/""#, "{}"],
                ])
        #expect(values("\u{FEFF}[]") == ["json": ["[]"]])
        #expect(values(#"{"a":[{"t":1,"b":[{"t":[2]}]}]}"#, ignoring: ["t"])?.count == 5)
    }

    @Test(arguments: [
        (["1", "1.0", "10e-1", "0.1e+1", "1E0", "0.00001e5"], "1"),
        (["0", "-0", "0.0", "0e400"], "0"),
        (["1e400", "10e399", "0.1E401"], "1e400"),
        (["10e1073741824"], "10e1073741824"), (["-1.50", "-15e-1"], "-1.5"),
        (["0.001", "1e-3"], "0.001"), (["1e-400"], "1e-400"), (["120e1", "1200"], "1200"),
        (["1e99999999999999999999"], "1e99999999999999999999"),
        (["1e-9223372036854775808"], "1e-9223372036854775808"),
        (
            ["123456789012345678901234567890123456789012345678901"],
            "123456789012345678901234567890123456789012345678901"
        ),
    ])
    func numbersOfOneValueHaveOneText(numbers: [String], text: String) {
        for number in numbers { #expect(values(number) == ["json": [text]]) }
    }

    /// Expects what the system's decoder accepts, except a comma before a closing bracket and numbers
    /// that it cannot hold.
    private func expectResultOfDecoder(_ data: Data) {
        let text = String(decoding: data, as: UTF8.self)
        let isJSON = JSONScanner.scan(data)
        let canDecode = (try? JSONDecoder().decode(JSONValue.self, from: data)) != nil
        #expect(isJSON == canDecode || text.contains(/,\s*[\]}]|[0-9][eE]|\d{39}/), "\(text)")
    }

    @Test func scannerAcceptsWhatTheDecoderAccepts() throws {
        var random = SeededGenerator(seed: 8259)
        let strings = [
            "\\", "\\\\", "\\\"", "\\/", "\\n", "\\u0041", "\\u0000", "\\ud83d", "\\udc15",
            "\\uD83D\\uDC15", "\\u12", "\\q", "a", "é", "e\u{301}", "🐕", "\u{FFFD}", "\u{0}",
            "\u{1F}", "\t", "\u{7F}", " ", "[",
        ]
        let numbers = ["-", "+", "0", "1", "9", "00", "12", ".", ".5", "e", "E", "e+", "e-3"]
        for _ in 0..<Stress.count(1_000) {
            let string = "\"\(String.random(of: strings, 0...3, using: &random))\""
            let number = String.random(of: numbers, 1...5, using: &random)
            let tokens = [
                string, number, "{", "}", "[", "]", "{\(string):", ",", ":", "null", "true", "nul",
                " ", "\n", "\u{A0}",
            ]
            let json = try RandomJSON(using: &random).text(using: &random)
            for text in [
                "[\(string),\(number),{\(string):\(number)}]", .random(of: tokens, using: &random),
                json, json.garbled(using: &random),
            ] {
                expectResultOfDecoder(Data(text.utf8))
            }
            expectResultOfDecoder(
                Data("[\"".utf8) + .random(0...3, using: &random) + Data("\"]".utf8))
        }
        for text in ["", " ", "[1]\u{0}", "[\u{0}1]", "\u{C}[1]", "[1]x", "01", "1.", "{\"a\" 1}"] {
            expectResultOfDecoder(Data(text.utf8))
        }
    }

    /// Long names above many values would need the square of the text's size.
    @Test func hostileTextIsRefusedInLinearTime() {
        let count = Stress.isFull ? 100_000 : 3_000
        let name = String(repeating: "n", count: count)
        let list = String(repeating: "1,", count: count) + "1"

        #expect(values("{\"\(name)\":[\(list)]}") == nil)
        #expect(values("[\(list)]")?.count == count + 2)
        let brackets = Data(repeating: UInt8(ascii: "["), count: 10 * count)
        #expect(!JSONScanner.scan(brackets))
    }
}
