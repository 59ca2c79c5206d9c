import APIKit

/// A path to one value of a JSON document, such as `user.addresses[0].city`.
///
/// It is a singular query of JSONPath (RFC 9535, section 2.3.5.1) without the leading `$`. A name with
/// one of the characters `.[]"'` is written in brackets and quotes, as in `user["first.name"]`.
struct JSONPath {
    /// The path after the name of the whole value, such as `.user.tags[0]`.
    private(set) var steps = ""
    /// The member name of the value, or of the array that holds it.
    private(set) var memberName: String?

    /// Parses a path, or returns `nil` for a malformed one.
    init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        var rest = text.unicodeScalars[...]
        while let first = rest.first {
            if first == "[" {
                guard parseBrackets(&rest) else { return nil }
                continue
            }
            if !steps.isEmpty, rest.popFirst() != "." { return nil }
            let name = rest.prefix { !".[]\"'".unicodeScalars.contains($0) }
            guard !name.isEmpty else { return nil }
            add(String(name))
            rest = rest[name.endIndex...]
        }
    }

    private mutating func add(_ name: String) {
        memberName = name
        steps += JSONScanner.step(name)
    }

    /// Parses an index or a name in brackets, or returns `false`.
    private mutating func parseBrackets(_ rest: inout Substring.UnicodeScalarView) -> Bool {
        rest.removeFirst()
        if let quote = rest.first, quote == "\"" || quote == "'" {
            rest.removeFirst()
            var name = String.UnicodeScalarView()
            while let next = rest.popFirst(), next != quote {
                guard let scalar = next == "\\" ? rest.popFirst() : next else { return false }
                name.append(scalar)
            }
            add(String(name))
        } else {
            let digits = rest.prefix { "0"..."9" ~= $0 }
            guard let index = Int(String(digits)) else { return false }
            steps += "[\(index)]"
            rest = rest[digits.endIndex...]
        }
        return rest.popFirst() == "]"
    }
}
