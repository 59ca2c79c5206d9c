import APIKit
import Foundation

extension JSONValue {
    /// Creates the value of a text, which can start with a byte order mark.
    init(text: Data) throws {
        let isMarked = text.starts(with: "\u{FEFF}".utf8)
        self = try JSONDecoder().decode(Self.self, from: isMarked ? text.dropFirst(3) : text)
    }

    var members: [String: Self]? { if case .object(let members) = self { members } else { nil } }
    var elements: [Self]? { if case .array(let elements) = self { elements } else { nil } }
    var text: String? { if case .string(let text) = self { text } else { nil } }
    func text(of name: String) -> String { members?[name]?.text ?? "" }
    var isFraction: Bool { if case .number(let n) = self { n.exponent < 0 } else { false } }

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

    /// Returns the JSON with a value in place of the values after some steps, or without them.
    ///
    /// - Parameters:
    ///   - value: The value, or `nil` to remove those that are there.
    ///   - steps: The steps.
    ///   - isNew: Whether the last step is a new member, which each object gets.
    /// - Returns: The changed JSON, or `nil` if nothing is left.
    func setting(_ value: Self?, at steps: ArraySlice<JSONStep>, isNew: Bool = false) -> Self? {
        guard let step = steps.first else { return value }
        let rest = steps.dropFirst()
        func next(_ child: Self) -> Self? { child.setting(value, at: rest, isNew: isNew) }
        switch (self, step) {
        case (.object(var members), .member(let name)):
            members[name] = isNew && rest.isEmpty ? value : members[name].flatMap(next)
            return .object(members)
        case (.object(let members), .values): return .object(members.compactMapValues(next))
        case (.array(let elements), .elements): return .array(elements.compactMap(next))
        case (.array(let elements), .elementsWith(let name, let text)):
            return .array(elements.compactMap { $0.text(of: name) == text ? next($0) : $0 })
        default: return self
        }
    }
}
