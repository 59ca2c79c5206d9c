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
        var reader = FieldReader(field)
        _ = reader.read(until: ";")
        return reader.readParameters(until: ";")
    }

    /// Returns the elements of a list such as `Vary` or `Cache-Control` in lower case, with their
    /// parameters (RFC 9110, section 5.6.1).
    static func words(of field: String?) -> [String] {
        (field ?? "").lowercased().split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Reads parameters whose unquoted values end at the given characters (RFC 9110, section 5.6.6).
    mutating func readParameters(until ends: String) -> [String: String] {
        var parameters: [String: String] = [:]
        while skip(";") {
            skipSpace()
            let name = read(until: " \t=;,").lowercased()
            let value = skip("=") ? readValue(until: ends) : ""
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

    private mutating func readValue(until ends: String) -> String {
        guard skip("\"") else { return read(until: ends).trimmingCharacters(in: .whitespaces) }
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst(), scalar != "\"" {
            value.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar)
        }
        return String(value)
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == " " || $0 == "\t" }
    }
}
