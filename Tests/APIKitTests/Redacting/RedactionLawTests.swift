import Foundation
import Testing

@testable import APIKit

/// Properties of redacted text, tested with random content.
///
/// Only secrets contain an `S` or a `9` here.
@Suite struct RedactionLawTests {
    private static let names = ["a", "id", "token", "api_key", "pass\u{77}ord", "key", "b c", "\""]

    private func masked(_ text: String, contentType: String? = nil) -> String {
        String(
            decoding: Redaction.secrets.body(Data(text.utf8), contentType: contentType),
            as: UTF8.self)
    }

    /// Replaces all secrets in the value.
    private func withSecrets(
        _ secret: RandomJSON, in value: RandomJSON, isHidden: Bool = false
    ) -> RandomJSON {
        switch value {
        case .array(let values):
            .array(values.map { withSecrets(secret, in: $0, isHidden: isHidden) })
        case .object(let members):
            .object(
                members.reduce(into: [:]) { result, member in
                    result[member.key] = withSecrets(
                        secret, in: member.value,
                        isHidden: isHidden || Redaction.hidesValue(named: member.key))
                })
        default: isHidden ? secret : value
        }
    }

    private func values(_ count: Int) -> [(RandomJSON, SeededGenerator)] {
        var random = SeededGenerator(seed: 2)
        return (0..<count).map { _ in
            let member = RandomJSON(names: Self.names, using: &random)
            let value = RandomJSON.object(["token": member, "x": member])
            return (value.replacingLeaves(.string("}\",{\\")), SeededGenerator(seed: random.next()))
        }
    }

    @Test(arguments: [RandomJSON.string("S\"9\\"), .integer(99), .string("{\"SSS\":[")])
    func jsonCutAnywhereShowsNoSecret(secret: RandomJSON) throws {
        for (value, random) in values(150) {
            var random = random
            let text = try withSecrets(secret, in: value).text(using: &random)
            for end in text.indices + [text.endIndex] {
                let shown = masked(String(text[..<end]))

                #expect(!shown.contains("S") && !shown.contains("9"), "\(text[..<end])")
            }
        }
    }

    @Test func jsonChangesOnlyInSecrets() throws {
        for (value, random) in values(300) {
            var random = random
            let text = try withSecrets(.string("SS"), in: value).text(using: &random)

            let shown = try JSONDecoder().decode(Shown.self, from: Data(masked(text).utf8))

            let whole = try JSONDecoder().decode(Shown.self, from: Data(text.utf8))
            #expect(shown == whole.masked)
        }
    }

    @Test func maskHidesLengthOfSecret() throws {
        for (value, random) in values(200) {
            var (first, second) = (random, random)
            let short = try withSecrets(.string(""), in: value).text(using: &first)
            let long = try withSecrets(.string("SSSSSSSSSS"), in: value).text(using: &second)

            #expect(masked(short).count == masked(long).count)
        }
    }

    @Test func maskingGarbageIsIdempotent() throws {
        for (value, random) in values(1000) {
            var random = random
            let garbled = try value.text(using: &random).garbled(using: &random)
            for type in [nil, "application/json", "application/x-www-form-urlencoded"] {
                let once = masked(garbled, contentType: type)

                #expect(masked(once, contentType: type) == once, "\(garbled)")
            }
        }
    }

    /// A random text that resembles a URL, with secrets in its query and fragment.
    private func address(using random: inout SeededGenerator) -> String {
        let starts = [
            "https://h.example", "", "/", "//", "h:1", "http://user:SSS@h", "http://[",
            "http://h:x",
        ]
        let parts = ["a", "/", "//", "é", "[", "]", "%", "%2", "@", ":", "|", "^", ";"]
        let items = ["a=b", "token=SSS", "key=S%53S=S", "", "%=", "a[b]=c"]
        var text = (starts.randomElement(using: &random) ?? "") + .random(of: parts, using: &random)
        for mark in ["?", "#"] where Bool.random(using: &random) {
            let count = Int.random(in: 0...4, using: &random)
            text +=
                mark
                + (0..<count).map { _ in items.randomElement(using: &random) ?? "" }
                .joined(separator: "&")
        }
        return text
    }

    @Test func urlShowsNoSecret() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<4_000 {
            let text = address(using: &random)
            guard let url = URL(string: text) else { continue }

            #expect(!Redaction.text(of: url).contains("S"), "\(text)")
        }
    }

    @Test(arguments: ["Location", "Link", "referer"])
    func headerWithURLsShowsNoSecret(name: String) {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<1_000 {
            let links = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                "<\(address(using: &random))>; rel=\"next\""
            }
            let text = name == "Link" ? links.joined(separator: ", ") : address(using: &random)

            let shown = Redaction.secrets.text(ofHeader: name, text)

            #expect(!shown.contains("S"), "\(text)")
        }
    }
}

/// A JSON value as a decoder returns it.
private enum Shown: Decodable, Equatable {
    case null
    case leaf(String)
    case array([Shown])
    case object([String: Shown])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .leaf(value)
        } else if let value = try? container.decode([Shown].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: Shown].self))
        }
    }

    var masked: Shown {
        switch self {
        case .array(let values): .array(values.map(\.masked))
        case .object(let members):
            .object(
                members.reduce(into: [:]) { shown, member in
                    let isHidden =
                        Redaction.hidesValue(named: member.key) && member.value != .null
                    shown[member.key] = isHidden ? .leaf("***") : member.value.masked
                })
        default: self
        }
    }
}
