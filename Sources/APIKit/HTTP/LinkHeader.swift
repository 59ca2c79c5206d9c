/// The links of a `Link` header, one after the other (RFC 8288, section 3 and appendix B).
///
/// They end where the text is no link any more.
package struct LinkHeader: Sequence, IteratorProtocol {
    /// A link as it is written.
    package struct Link: Equatable {
        /// A URL, or a reference relative to that of the response.
        let target: String

        /// The values of the parameters by their names in lower case, the first of each name.
        let parameters: [String: String]

        /// The relation types in lower case.
        var relations: [Substring] {
            (parameters["rel"] ?? "").lowercased().split(whereSeparator: \.isWhitespace)
        }
    }

    private var rest: Substring.UnicodeScalarView

    init(_ text: String) {
        rest = text[...].unicodeScalars
    }

    package mutating func next() -> Link? {
        // An element of a list may be empty (RFC 9110, section 5.6.1).
        while skip(",") {}
        guard skip("<") else { return nil }
        let target = read { $0 != ">" }
        guard skip(">") else { return nil }
        return Link(target: target, parameters: readParameters())
    }

    /// Returns the parameters of a header field such as `Content-Type`, after its first semicolon.
    package static func parameters(of field: String) -> [String: String] {
        var header = LinkHeader(field)
        _ = header.read { $0 != ";" }
        return header.readParameters()
    }

    private mutating func readParameters() -> [String: String] {
        var parameters: [String: String] = [:]
        while skip(";") {
            skipSpace()
            let name = read { !" \t=;,".unicodeScalars.contains($0) }.lowercased()
            let value = skip("=") ? readValue() : ""
            if parameters[name] == nil { parameters[name] = value }
        }
        return parameters
    }

    private mutating func readValue() -> String {
        guard skip("\"") else { return read { !" \t;,".unicodeScalars.contains($0) } }
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst(), scalar != "\"" {
            value.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar)
        }
        return String(value)
    }

    /// Passes a character and the space before it, if it comes next.
    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        skipSpace()
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == " " || $0 == "\t" }
    }

    private mutating func read(while isPart: (Unicode.Scalar) -> Bool) -> String {
        let part = rest.prefix(while: isPart)
        rest = rest[part.endIndex...]
        return String(part)
    }
}
