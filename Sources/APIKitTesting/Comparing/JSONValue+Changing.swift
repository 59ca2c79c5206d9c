import APIKit
import Foundation

/// A step from a JSON value to values within it.
enum JSONStep: Hashable {
    case member(String)
    /// All elements of an array, or all values of a map.
    case elements, values

    /// Returns the text of steps, such as `[].owner.name` or `rates.*`.
    static func text(of steps: [JSONStep]) -> String {
        let text = steps.map { step in
            switch step {
            case .member(let name): JSONScanner.step(name)
            case .elements: "[]"
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
        default: return self
        }
    }

    /// Returns the JSON with a change of the value with a name, such as `json.dogs[0].id`.
    ///
    /// - Parameters:
    ///   - path: The name.
    ///   - place: The name of this JSON.
    ///   - newValue: The value of a new member, or `nil` to change an existing value.
    ///   - change: Returns the new value, or `nil` to remove it.
    /// - Returns: The changed JSON, or `nil` if nothing is left.
    /// - Throws: The mistake in a name that is not there, or that is there already for a new member.
    func changing(
        _ path: String, at place: String = "json", newValue: Self? = nil,
        by change: (Self) -> Self? = { _ in nil }
    ) throws(Condition.Mistake) -> Self? {
        if path == place {
            if newValue == nil { return change(self) }
            throw Condition.Mistake(text: "\(path) exists. Change it with changing:")
        }
        func isAbove(_ place: String) -> Bool {
            path == place || ExactText(path).isBelow(place)
        }
        switch self {
        case .object(var members):
            if let name = members.keys.first(where: { isAbove(place + JSONScanner.step($0)) }) {
                members[name] = try members[name]?.changing(
                    path, at: place + JSONScanner.step(name), newValue: newValue, by: change)
            } else if let newValue, let name = (try? JSONPath(path))?.memberName,
                path == place + JSONScanner.step(name)
            {
                members[name] = newValue
            } else {
                let names = members.keys.sorted().prefix(10).joined(separator: ", ")
                throw Condition.Mistake(text: "there is no \(path). \(place) has: \(names)")
            }
            return .object(members)
        case .array(var elements):
            guard let index = elements.indices.first(where: { isAbove("\(place)[\($0)]") }) else {
                throw Condition.Mistake(
                    text: "there is no \(path). \(place) has \(elements.count) elements")
            }
            let new = try elements[index].changing(
                path, at: "\(place)[\(index)]", newValue: newValue, by: change)
            elements.replaceSubrange(index...index, with: new.map { [$0] } ?? [])
            return .array(elements)
        default:
            throw Condition.Mistake(text: "there is no \(path). \(place) is no object or array")
        }
    }
}
