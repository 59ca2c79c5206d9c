import APIKit
import Foundation

/// A path to one value of a JSON document, such as `user.addresses[0].city`.
///
/// It is a singular query of JSONPath (RFC 9535, section 2.3.5.1) without the leading `$`.
struct JSONPath: Sendable, Equatable {
    enum Step: Sendable, Equatable {
        case name(String)
        case index(Int)
    }

    var steps: [Step] = []

    /// The member name of the value, or of the array that holds it.
    var name: String? {
        steps.reduce(nil) { name, step in
            if case .name(let name) = step { name } else { name }
        }
    }

    /// Returns the value at the path, or `nil` if there is no such value.
    func value(in document: HTTPBody.JSON) -> HTTPBody.JSON? {
        var value = document
        for step in steps {
            switch (step, value) {
            case (.name(let name), .object(let members)):
                guard let member = members[name] else { return .none }
                value = member
            case (.index(let index), .array(let elements)) where elements.indices.contains(index):
                value = elements[index]
            default:
                // Not `nil`, which would be the JSON value `null`.
                return .none
            }
        }
        return value
    }
}

extension JSONPath {
    /// Parses a path.
    ///
    /// A name with one of the characters `.[]"'` is written in brackets and quotes, as in
    /// `user["first.name"]`.
    init?(_ text: String) {
        var rest = Substring(text)
        while let first = rest.first {
            if first == "[" {
                guard let step = Self.bracketed(&rest) else { return nil }
                steps.append(step)
                continue
            }
            if !steps.isEmpty, rest.popFirst() != "." { return nil }
            let name = rest.prefix { !Self.special.contains($0) }
            guard !name.isEmpty else { return nil }
            steps.append(.name(String(name)))
            rest = rest.dropFirst(name.count)
        }
        guard !steps.isEmpty else { return nil }
    }

    /// Parses an index or a name in brackets.
    private static func bracketed(_ rest: inout Substring) -> Step? {
        rest.removeFirst()
        let step: Step
        if let quote = rest.first, "\"'".contains(quote) {
            let name = rest.dropFirst().prefix { $0 != quote }
            step = .name(String(name))
            rest = rest.dropFirst(name.count + 2)
        } else {
            let digits = rest.prefix { "0"..."9" ~= $0 }
            guard let index = Int(digits) else { return nil }
            step = .index(index)
            rest = rest.dropFirst(digits.count)
        }
        return rest.popFirst() == "]" ? step : nil
    }

    private static let special: Set<Character> = [".", "[", "]", "\"", "'"]
}

extension JSONPath: CustomStringConvertible {
    /// The path in the syntax of a pattern.
    var description: String {
        steps.reduce(into: "") { text, step in
            switch step {
            case .name(let name) where name.isEmpty || name.contains(where: Self.special.contains):
                text += name.contains("\"") ? "['\(name)']" : "[\"\(name)\"]"
            case .name(let name): text += text.isEmpty ? name : ".\(name)"
            case .index(let index): text += "[\(index)]"
            }
        }
    }
}
