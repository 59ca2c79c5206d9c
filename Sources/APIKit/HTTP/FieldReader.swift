import Foundation

/// Reads the value of a header field from front to back.
///
/// It compares scalars, because a quote and a combining accent after it form one `Character`.
package struct FieldReader {
    private var rest: Substring.UnicodeScalarView

    init(_ field: String) {
        rest = field[...].unicodeScalars
    }

    /// Returns the parameters of a field such as `Content-Type`, keyed by lowercase name.
    ///
    /// If a name is repeated, its first value counts. An unquoted value ends at a semicolon.
    package static func parameters(of field: String) -> [String: String] {
        var reader = FieldReader(field.asSingleValue)
        _ = reader.read(until: ";")
        return reader.readParameters(until: ";")
    }

    /// Returns the fields `Set-Cookie` that the loading system has joined by commas.
    ///
    /// A name and an equals sign follow the comma before a field, but not the comma in a date. PHP
    /// sends names such as `user[token]`, which are not tokens of RFC 9110.
    package static func setCookieFields(in field: String) -> [Substring] {
        var (fields, start) = ([Substring](), field.startIndex)
        for comma in field.utf8.indices where field.utf8[comma] == UInt8(ascii: ",") {
            let next = field.utf8[comma...].dropFirst()
            let name = next.drop(while: " \t".utf8.contains).prefix { !"=;, \t".utf8.contains($0) }
            let mark = field.utf8[name.endIndex...].drop(while: " \t".utf8.contains).first
            guard !name.isEmpty, mark == UInt8(ascii: "=") else { continue }
            fields.append(field[start..<comma])
            start = next.startIndex
        }
        return fields + [field[start...]]
    }

    /// Returns the length of a scheme before credentials (RFC 9110, section 11.4) and its space, or
    /// zero.
    static func schemeLength(of bytes: [UInt8], from start: Int = 0) -> Int {
        let end = bytes.index(of: .space, in: start..<min(start + 10, bytes.count))
        guard end + 1 < bytes.count, bytes.hasText(" ", at: end) else { return 0 }
        return schemes.contains(bytes[start..<end].text.lowercased()) ? end + 1 - start : 0
    }

    /// Returns the index of the credentials after a scheme, and whether they are parameters, as in
    /// Digest.
    ///
    /// Parameters start with a name. Equals signs at the end are the padding of base64.
    static func credentials(in value: [UInt8]) -> (start: Int, areParameters: Bool) {
        let blank = value.index(of: .space, in: 0..<value.count)
        let start = value.index(of: ByteSet.space.inverted, in: blank..<value.count)
        guard start < value.count else { return (0, false) }
        let end = value.index(of: endsOfName, in: start..<value.count)
        return (start, value.hasText("=", at: end) && value[end...].contains { $0 != 0x3D })
    }

    private static let endsOfName = ByteSet("= \t,;\"/+")
    private static let schemes: Set = [
        "bearer", "basic", "token", "negotiate", "apikey", "dpop", "jwt", "key", "bot",
    ]

    /// Returns whether a body of a content type is JSON, a form or another text, as far as is known.
    package static func isText(_ contentType: String?) -> Bool {
        let type = (contentType ?? "text/").mediaType.prefix { $0 != " " }
        // A type without a subtype is as good as none.
        return type.hasPrefix("text/") || !type.contains("/")
            || ["json", "xml", "javascript", "x-www-form-urlencoded"].contains(
                where: type.hasSuffix)
    }

    /// Returns the elements of a list such as `Vary` or `Cache-Control` in lower case, with their
    /// parameters (RFC 9110, section 5.6.1).
    package static func words(of field: String?) -> [String] {
        (field ?? "").lowercased().split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Reads parameters whose unquoted values end at the given characters (RFC 9110, section 5.6.6).
    mutating func readParameters(until ends: String, quotes: String = "\"") -> [String: String] {
        var parameters: [String: String] = [:]
        while skip(";") {
            skipSpace()
            let name = read(until: " \t=;,").lowercased()
            let value = skip("=") ? readValue(until: ends, quotes) : ""
            if parameters[name] == nil { parameters[name] = value }
        }
        return parameters
    }

    /// Skips spaces and tabs, and then the character, or returns `false` if another one follows.
    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        skipSpace()
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }

    /// Reads up to the first of the given characters, or to the end.
    mutating func read(until ends: String) -> String {
        let part = rest.prefix { !ends.unicodeScalars.contains($0) }
        rest = rest[part.endIndex...]
        return String(part)
    }

    private mutating func readValue(until ends: String, _ quotes: String) -> String {
        guard let quote = quotes.unicodeScalars.first(where: { skip($0) }) else {
            return read(until: ends).trimmingCharacters(in: .whitespaces)
        }
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst(), scalar != quote {
            value.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar)
        }
        return String(value)
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == " " || $0 == "\t" }
    }
}
