import APIKit

/// A step from a response, or a JSON value in it, to values within.
enum JSONStep: Hashable, Comparable {
    case member(String)
    /// All elements of an array, or all values of a map.
    case elements, values
    /// The elements of an array whose member has a text.
    case elementsWith(String, String)
    /// A header field, beside the body.
    case field(String)

    /// Returns the text of steps, such as `[].owner.name` or `rates.*`.
    static func path(of steps: [JSONStep]) -> String {
        let text = steps.map { step in
            switch step {
            case .member(let name): JSONScanner.step(name)
            case .elements: "[]"
            case .elementsWith(let name, let text): "[\(name)=\(text)]"
            case .values: ".*"
            case .field(let name): name
            }
        }.joined()
        return text.hasPrefix(".") ? String(text.dropFirst()) : text
    }
}

extension Sequence<JSONValue> {
    /// The members and the elements of all values, by the steps to them.
    var children: [JSONStep: [JSONValue]] {
        reduce(into: [:]) { children, parent in
            for (name, value) in parent.members ?? [:] {
                children[.member(name), default: []].append(value)
            }
            if let elements = parent.elements { children[.elements, default: []] += elements }
        }
    }
}
