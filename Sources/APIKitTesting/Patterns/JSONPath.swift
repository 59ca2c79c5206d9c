import APIKit

/// A path to one value of a JSON document, such as `user.addresses[0].city`.
///
/// It is a singular query of JSONPath (RFC 9535, section 2.3.5.1) without the leading `$`.
struct JSONPath {
    private enum Step {
        case member(String)
        case element(Int)
    }

    private var steps: [Step] = []

    /// The member name of the value, or of the array that holds it.
    var memberName: String? {
        steps.reduce(nil) { name, step in
            if case .member(let name) = step { name } else { name }
        }
    }

    /// Parses a path.
    ///
    /// A name with one of the characters `.[]"'` is written in brackets and quotes, as in
    /// `user["first.name"]`.
    init?(_ text: String) {
        var rest = text.unicodeScalars[...]
        while let first = rest.first {
            if first == "[" {
                guard let step = Self.bracketed(&rest) else { return nil }
                steps.append(step)
                continue
            }
            if !steps.isEmpty, rest.popFirst() != "." { return nil }
            let name = rest.prefix { !".[]\"'".unicodeScalars.contains($0) }
            guard !name.isEmpty else { return nil }
            steps.append(.member(String(name)))
            rest = rest[name.endIndex...]
        }
        guard !steps.isEmpty else { return nil }
    }

    /// Parses an index or a name in brackets.
    private static func bracketed(_ rest: inout Substring.UnicodeScalarView) -> Step? {
        rest.removeFirst()
        let step: Step
        if let quote = rest.first, quote == "\"" || quote == "'" {
            rest.removeFirst()
            var name = String.UnicodeScalarView()
            while let next = rest.popFirst(), next != quote {
                guard let scalar = next == "\\" ? rest.popFirst() : next else { return nil }
                name.append(scalar)
            }
            step = .member(String(name))
        } else {
            let digits = rest.prefix { "0"..."9" ~= $0 }
            guard let index = Int(String(digits)) else { return nil }
            step = .element(index)
            rest = rest[digits.endIndex...]
        }
        return rest.popFirst() == "]" ? step : nil
    }
}

extension JSONPath: CustomStringConvertible {
    /// The path after the name of the whole value, such as `.user.tags[0]`.
    var description: String {
        steps.map { step in
            switch step {
            case .member(let name): JSONScanner.step(name)
            case .element(let index): "[\(index)]"
            }
        }.joined()
    }
}
