import Foundation
import Testing

@testable import APIKitTesting

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
/// `«ghp_|36»` is a secret of a prefix and so many random characters (`r` and `hex` stand for no
/// prefix), so that the file has no text that looks like a secret of a real service.
struct Exchange: CustomTestStringConvertible, Sendable {
    let name: String
    let secrets: [String]
    /// The exchange, and the same with `§` in place of each secret.
    let entry: HAREntry
    let masked: HAREntry

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
        var (plain, masked, secrets) = ("", "", [String]())
        for (index, part) in text[lineBreak...].dropFirst().split(
            separator: #/[«»]/#, omittingEmptySubsequences: false
        ).enumerated() {
            guard index % 2 == 1 else {
                plain += part
                masked += part
                continue
            }
            let secret = Self.secret(String(part), using: &random)
            plain += secret
            masked += secret.isEmpty ? "" : "§"
            if !secret.isEmpty { secrets.append(secret) }
        }
        self.secrets = secrets
        entry = try Self.entry(plain)
        self.masked = try Self.entry(masked)
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
        guard parts.count == 2, let count = Int(parts[1]) else { return mark }
        switch parts[0] {
        case "r": return text(count, letters)
        case "hex": return text(count, hex)
        case "AKIA", "ASIA": return parts[0] + text(count, Array(letters[..<26]) + Array("234567"))
        default: return parts[0] + text(count, letters)
        }
    }

    private static func entry(_ text: String) throws -> HAREntry {
        let parts = text.split(separator: "\n--- ", maxSplits: 1)
        let (request, response) = (Self.message(parts[0]), Self.message(try #require(parts.last)))
        let line = request.first.split(separator: " ", maxSplits: 1).map(String.init)
        return HAREntry(
            startedAt: Date(timeIntervalSince1970: 0),
            request: .init(
                method: line[0], url: line[1], headers: request.headers, body: request.body),
            response: .init(
                status: try #require(Int(response.first)), headers: response.headers,
                body: response.body))
    }

    private static func message(
        _ text: Substring
    ) -> (first: String, headers: [HAREntry.Field], body: Data) {
        let parts = text.split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].split(separator: "\n")
        let headers = lines.dropFirst().map { line in
            let field = line.split(separator: ": ", maxSplits: 1)
            return HAREntry.Field(
                name: String(field[0]), value: field.count > 1 ? String(field[1]) : "")
        }
        let isMultipart = headers.contains { $0.value.hasPrefix("multipart/") }
        let body = parts.count > 1 ? String(parts[1]) : ""
        return (
            String(lines.first ?? ""), headers,
            Data((isMultipart ? body.replacing("\n", with: "\r\n") : body).utf8)
        )
    }
}
