import APIKit
import Foundation
import Testing

/// An exchange of the corpus, whose secrets are marked by `«` and `»`.
///
/// A file has exchanges such as:
///
/// ```text
/// ### Name
/// POST https://api.example/login
/// Content-Type: application/json
///
/// {"password":"«hunter2»"}
/// --- 200
/// Content-Type: application/json
///
/// {"token":"«jwt»","id":1}
/// ```
///
/// `«ghp_|36»` is a secret of a prefix and so many random characters. `r` and `hex` stand for no
/// prefix. So the file has no text that looks like a secret of a real service. Between two `¶` is a
/// secret that the rule cannot know, which is left to the reader.
struct Exchange: CustomTestStringConvertible, Sendable {
    let name: String
    let request: Message
    let response: Message
    /// The request and the response with `***` in place of each secret.
    let masked: [Message]
    /// The number of the secrets that are masked, and of those that are left to the reader.
    let counts: (masked: Int, left: Int)

    var testDescription: String { name }

    static func all(in file: String) throws -> [Exchange] {
        let url = try #require(Bundle.module.resourceURL)
            .appending(path: "Fixtures/Exchanges/\(file).txt")
        var random = SeededGenerator(seed: 29)
        return try "\n\(String(contentsOf: url, encoding: .utf8))".split(separator: "\n### ")
            .map { try Exchange(String($0), using: &random) }
    }

    private init(_ text: String, using random: inout SeededGenerator) throws {
        let lineBreak = try #require(text.firstIndex(of: "\n"))
        name = String(text[..<lineBreak])
        let text = MarkedText(text[lineBreak...].dropFirst(), using: &random)
        (masked, counts) = (Message.pair(of: text.masked), text.counts)
        let messages = Message.pair(of: text.plain)
        (request, response) = (try #require(messages.first), try #require(messages.last))
    }
}

/// A text with its marked secrets, and the same with `***` in place of each secret.
struct MarkedText {
    private(set) var plain = ""
    private(set) var masked = ""
    /// The number of the secrets that are masked, and of those that are left to the reader.
    private(set) var counts = (masked: 0, left: 0)

    init(_ text: Substring, using random: inout SeededGenerator) {
        let parts = text.split(separator: #/[«»¶]/#, omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let isSecret = index % 2 == 1
            let isLeft = text[..<part.startIndex].hasSuffix("¶")
            let shown = isSecret ? Self.secret(String(part), using: &random) : String(part)
            plain += shown
            masked += isSecret && !isLeft ? "***" : shown
            counts.masked += isSecret && !isLeft ? 1 : 0
            counts.left += isSecret && isLeft ? 1 : 0
        }
    }

    private static func secret(_ mark: String, using random: inout SeededGenerator) -> String {
        let hex = Array("0123456789abcdef")
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        func text(_ count: Int, _ characters: [Character]) -> String {
            String((0..<count).map { _ in characters.randomElement(using: &random) ?? "0" })
        }
        if mark == "jwt" {
            func part(_ json: String) -> String {
                Data(json.utf8).base64EncodedString().replacing("=", with: "")
                    .replacing("+", with: "-").replacing("/", with: "_")
            }
            let claims = #"{"sub":"\#(text(8, letters))","name":"Ada","exp":1769860800}"#
            return part(#"{"alg":"HS256","typ":"JWT"}"#) + "." + part(claims) + "."
                + text(43, letters)
        }
        if mark == "uuid" {
            return [8, 4, 4, 4, 12].map { text($0, hex) }.joined(separator: "-")
        }
        if let match = mark.wholeMatch(of: #/base64\((.*)\)/#) {
            let inner = match.1.split(separator: ":", omittingEmptySubsequences: false)
                .map { secret(String($0), using: &random) }
            return Data(inner.joined(separator: ":").utf8).base64EncodedString()
        }
        let parts = mark.split(separator: "|")
        guard parts.count == 2, let kind = parts.first, let count = parts.last.flatMap({ Int($0) })
        else { return mark }
        switch kind {
        case "r": return text(count, letters)
        case "hex": return text(count, hex)
        case "AKIA", "ASIA": return kind + text(count, Array(letters[..<26]) + Array("234567"))
        default: return kind + text(count, letters)
        }
    }
}

extension Exchange {
    /// A request or a response.
    struct Message: Equatable {
        /// The method and the URL, or the status.
        var line: String
        var fields: [String]
        var body: String

        init(_ text: Substring) {
            let parts = text.split(
                separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
            let lines = parts.first?.split(separator: "\n").map(String.init) ?? []
            line = lines.first ?? ""
            fields = Array(lines.dropFirst())
            body = parts[at: 1].map(String.init) ?? ""
            if contentType?.hasPrefix("multipart/") == true {
                body = body.replacing("\n", with: "\r\n")
            }
        }

        static func pair(of text: String) -> [Message] {
            text.split(separator: "\n--- ", maxSplits: 1).map(Message.init)
        }

        private var contentType: String? {
            fields.first { $0.hasPrefix("Content-Type: ") }.map { String($0.dropFirst(14)) }
        }

        /// Returns the message as a log or a recording shows it.
        func replacingSecrets(by redaction: Redaction = .secrets) -> Message {
            var message = self
            message.line = redaction.replacingSecrets(in: line) { _, _ in "***" }
            message.fields = fields.map { field in
                let parts = field.split(separator: ": ", maxSplits: 1).map(String.init)
                guard parts.count == 2, let name = parts.first, let value = parts.last
                else { return field }
                let shown = redaction.replacingSecrets(in: value, as: .header(named: name)) {
                    _, _ in "***"
                }
                return "\(name): \(shown)"
            }
            message.body = redaction.replacingSecrets(
                in: body, as: .body(contentType: contentType)
            ) { _, _ in "***" }
            return message
        }
    }
}
