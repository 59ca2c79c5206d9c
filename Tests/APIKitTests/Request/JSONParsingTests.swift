import APIKit
import Foundation
import Testing

/// Compares the package's own parser with `JSONDecoder`.
@Suite struct JSONParsingTests {
    /// Expects the same value of a body as `JSONDecoder`, or an error of both.
    @discardableResult
    private func expectValueOfDecoder(_ body: Data) -> HTTPBody.JSON? {
        let expected = try? JSONDecoder().decode(HTTPBody.JSON.self, from: body)
        let value = try? HTTPBody.JSON(body)
        #expect(value == expected, "\(body as NSData)")
        #expect(value.map { "\($0)" }?.count == expected.map { "\($0)" }?.count)
        return expected
    }

    /// Expects the value of `JSONDecoder`, or an error for a comma before a closing bracket, or for zero
    /// with an exponent out of range.
    private func expectValueOfDecoder(text: String) {
        let expected = expectValueOfDecoder(Data(text.utf8))
        let value = try? HTTPBody.JSON(text: text)
        let isLenient = text.contains(/,\s*[\]}]/) || text.contains(/0[eE]/)
        #expect(value == expected || isLenient && value == nil, "\(text)")
    }

    @Test func textHasTheValueOfTheDecoder() throws {
        var random = SeededGenerator(seed: 8259)
        for _ in 0..<Stress.count(400) {
            let text = try RandomJSON(using: &random).text(using: &random)
            expectValueOfDecoder(text: text)
            expectValueOfDecoder(text: text.garbled(using: &random))
            #expect(throws: Never.self) { try HTTPBody.JSON(text: text) }
        }
    }

    @Test func tokensInAnyOrderHaveTheValueOfTheDecoder() {
        var random = SeededGenerator(seed: 8259)
        let strings = [
            "\\", "\\\\", "\\\"", "\\/", "\\n", "\\u0041", "\\u0000", "\\ud83d", "\\udc15",
            "\\uD83D\\uDC15", "\\u12", "\\q", "a", "é", "e\u{301}", "🐕", "\u{FFFD}", "\u{FEFF}",
            "\u{0}", "\u{1F}", "\t", "\u{7F}", " ", "[",
        ]
        let numbers = [
            "-", "+", "0", "1", "9", "00", "12", ".", ".5", "e", "E", "e+", "e-3", "e400",
        ]
        for _ in 0..<Stress.count(4_000) {
            let string = "\"\(String.random(of: strings, 0...3, using: &random))\""
            let number = String.random(of: numbers, 1...5, using: &random)
            let tokens = [
                string, string, number, number, "{", "}", "[", "]", "{\(string):", ",", ":", "null",
                "true", "false", "nul", " ", "\n", "\u{A0}",
            ]
            expectValueOfDecoder(text: string)
            expectValueOfDecoder(text: number)
            expectValueOfDecoder(text: "[\(string),\(number),{\(string):\(number)}]")
            expectValueOfDecoder(text: .random(of: tokens, using: &random))
        }
    }

    @Test func numberHasTheValueOfTheDecoder() {
        var random = SeededGenerator(seed: 754)
        for _ in 0..<Stress.count(2_000) {
            let digits = String.random(of: (0...9).map { "\($0)" }, 1...45, using: &random)
            let fraction = String.random(of: ["", ".0", ".5", "." + digits], 1...1, using: &random)
            let exponent = Int.random(in: -330...330, using: &random)
            expectValueOfDecoder(text: digits)
            expectValueOfDecoder(text: "-\(digits)\(fraction)")
            expectValueOfDecoder(text: "1\(fraction)e\(exponent)")
        }
    }

    @Test(arguments: [
        "0e400", "-0e400", "0.0e400", "0e-400", "0e99999999999999999999", "1e-400", "-1e-400",
        "1e400", "1e99999999999999999999", "1e-99999999999999999999", "-0", "-0.0", "0.0", "-0e0",
        "1.0", "10e-1", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
        "1.7976931348623157e308", "1.7976931348623159e308", "5e-324", "2e-324",
        "0.1234567890123456789012345678901234567890123",
        "123456789012345678901234567890123456789e-20", "340282366920938463463374607431768211455",
        "340282366920938463463374607431768211456", "1e127", "1e128", "1e165", "1e166", "1e-127",
        "1e-128", "1e-129", "12345678901234567890123456789012345678901234567890e-50",
    ])
    func extremeNumberHasTheValueOfTheDecoder(text: String) {
        expectValueOfDecoder(Data(text.utf8))
        expectValueOfDecoder(Data("[\(text)]".utf8))
    }

    @Test(arguments: [
        #"{"a":1,"a":2,"b":3}"#, #"{"\u00e9":1,"e\u0301":2}"#, "[1,]", #"{"a":1,}"#, "0e400", "-0",
        "\u{FEFF}[1]", "\u{FEFF}\u{FEFF}[1]", "[1]\u{FEFF}", "\u{FEFF}", "", " ", "\u{0}",
        "[1]\u{0}",
        "[\u{0}1]", "\u{C}[1]", "[1]\u{85}", String(repeating: "[", count: 600),
        String(repeating: "[", count: 64) + String(repeating: "]", count: 64),
        String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
        String(repeating: "{\"a\":", count: 64) + "1" + String(repeating: "}", count: 64),
        String(repeating: "{\"a\":", count: 65) + "1" + String(repeating: "}", count: 65),
        "\"" + String(repeating: "\\\"é\\\\", count: Stress.count(100_000)) + "\"",
    ])
    func bodyHasTheValueOfTheDecoder(text: String) throws {
        expectValueOfDecoder(Data(text.utf8))
        for encoding in [String.Encoding.utf16, .utf16BigEndian, .utf32LittleEndian, .utf32] {
            expectValueOfDecoder(try #require(text.data(using: encoding)))
        }
    }

    @Test func invalidUTF8IsRefused() {
        var random = SeededGenerator(seed: 3629)
        for _ in 0..<Stress.count(400) {
            let bytes = Data.random(0...3, using: &random)
            expectValueOfDecoder(Data("[\"".utf8) + bytes + Data("\"]".utf8))
            expectValueOfDecoder(bytes)
        }
    }
}
