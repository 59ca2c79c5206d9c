import Foundation

/// Reads the value of a header field from front to back.
///
/// It compares scalars: a quote and a combining accent after it are one `Character`, which is not a
/// quote.
package struct FieldReader {
    private var rest: Substring.UnicodeScalarView

    init(_ field: String) {
        rest = field[...].unicodeScalars
    }

    /// Returns the parameters of a field such as `Content-Type`, the first of each name.
    ///
    /// Names are in lower case. An unquoted value extends to the next semicolon.
    package static func parameters(of field: String) -> [String: String] {
        var reader = FieldReader(field)
        _ = reader.read(until: ";")
        return reader.readParameters(until: ";")
    }

    /// Reads parameters (RFC 9110, section 5.6.6), whose unquoted values end at certain characters.
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

    /// Skips spaces and then a character, if it comes next.
    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        skipSpace()
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }

    /// Reads up to the first of some characters.
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
