import APIKit
import Foundation

/// A step from a JSON value to values within it.
enum JSONStep: Hashable, Comparable {
    case member(String)
    /// All elements of an array, or all values of a map.
    case elements, values
    /// The elements of an array whose member has a text.
    case elementsWith(String, String)

    /// Returns the text of steps, such as `[].owner.name` or `rates.*`.
    static func path(of steps: [JSONStep]) -> String {
        let text = steps.map { step in
            switch step {
            case .member(let name): JSONScanner.step(name)
            case .elements: "[]"
            case .elementsWith(let name, let text): "[\(name)=\(text)]"
            case .values: ".*"
            }
        }.joined()
        return text.hasPrefix(".") ? String(text.dropFirst()) : text
    }
}

extension JSONValue {
    /// Creates the value of a text, which can start with a byte order mark.
    init(text: Data) throws {
        let isMarked = text.starts(with: "\u{FEFF}".utf8)
        self = try JSONDecoder().decode(Self.self, from: isMarked ? text.dropFirst(3) : text)
    }

    var members: [String: Self]? { if case .object(let members) = self { members } else { nil } }
    var elements: [Self]? { if case .array(let elements) = self { elements } else { nil } }
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var isFraction: Bool {
        if case .number(let number) = self { number.exponent < 0 } else { false }
    }

    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .number, .extremeNumber: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// A value of the same kind with other scalars, or the same value if it has none.
    var ofAnotherValue: Self {
        switch self {
        case .null: self
        case .bool(let value): .bool(!value)
        case .number(let value): .number(value + 1)
        case .extremeNumber(let value): .extremeNumber(-value)
        case .string(let text): .string(Self.otherText(than: text))
        case .array(let elements): .array(elements.map(\.ofAnotherValue))
        case .object(let members): .object(members.mapValues(\.ofAnotherValue))
        }
    }

    /// Returns another text of the same format, such as another date.
    static func otherText(than text: String) -> String {
        let shape = TextShape(text)
        let digit = text.firstIndex { $0.isASCII && $0.isNumber }
        guard let digit, shape.isDate || shape.isUUID || Double(text) != nil else {
            return text + "x"
        }
        return text.replacingCharacters(in: digit...digit, with: text[digit] == "1" ? "2" : "1")
    }

    /// Returns the JSON with a change of all values after some steps, or `nil` if nothing is left.
    ///
    /// - Parameters:
    ///   - steps: The steps.
    ///   - change: Returns the new value, or `nil` to remove it.
    /// - Returns: The changed JSON.
    func changing(_ steps: ArraySlice<JSONStep>, by change: (Self) -> Self?) -> Self? {
        guard let step = steps.first else { return change(self) }
        let rest = steps.dropFirst()
        switch (self, step) {
        case (.object(var members), .member(let name)):
            members[name] = members[name]?.changing(rest, by: change)
            return .object(members)
        case (.object(let members), .values):
            return .object(members.compactMapValues { $0.changing(rest, by: change) })
        case (.array(let elements), .elements):
            return .array(elements.compactMap { $0.changing(rest, by: change) })
        case (.array(let elements), .elementsWith(let name, let text)):
            return .array(
                elements.compactMap {
                    $0.members?[name]?.text == text ? $0.changing(rest, by: change) : $0
                })
        default: return self
        }
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
