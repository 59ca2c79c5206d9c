import APIKit
import Foundation

/// The output of a parser as a tree of its properties, so that outputs can be compared.
///
/// An `==` of the user may compare only an identifier. So values of the system are compared, and all
/// others property by property.
extension JSONValue {
    init(reflecting value: Any, within parents: [ObjectIdentifier?] = []) {
        let mirror = Mirror(reflecting: value)
        let id = mirror.displayStyle == .class ? ObjectIdentifier(value as AnyObject) : nil
        func tree(_ child: Mirror.Child) -> Self {
            Self(reflecting: child.value, within: parents + [id])
        }
        func key(_ pair: Self) -> String {
            let key = pair.members?["key"] ?? .null
            return key.text ?? "\(key)"
        }
        self =
            switch (value, mirror.displayStyle) {
            // Objects can refer to each other, and each makes a stack deeper.
            case _ where parents.count > 60 || id != nil && parents.contains(id): .null
            case (let json as JSONValue, _): json
            case (let text as String, _): .string(text)
            // The descriptions of these two are not exact.
            case (let date as Date, _): .number(Decimal(date.timeIntervalSinceReferenceDate))
            case (let data as Data, _): .string(data.base64EncodedString())
            case (_, .optional): mirror.children.first.map(tree) ?? .null
            case (_, .set):
                .array(mirror.children.map { "\($0.value)" }.sorted().map(JSONValue.string))
            case (_, .dictionary):
                .array(mirror.children.map(tree).sorted { key($0) < key($1) })
            case (_, .collection): .array(mirror.children.map(tree))
            default: Self(properties: mirror, of: value, tree)
            }
    }

    private init(properties mirror: Mirror, of value: Any, _ tree: (Mirror.Child) -> Self) {
        let type = String(reflecting: Swift.type(of: value))
        let isOfSystem = ["Swift.", "Foundation"].contains(where: type.hasPrefix)
        var members: [String: Self] = [:]
        for mirror in sequence(first: mirror, next: \.superclassMirror) where !isOfSystem {
            for child in mirror.children {
                members[child.label ?? "\(members.count)"] = tree(child)
            }
        }
        self = members.isEmpty ? .string(String(reflecting: value)) : .object(members)
    }
}

extension JSONValue {
    /// The members of an object by their names, or the elements of an array by their positions.
    private var parts: [String: Self] {
        let elements = (elements ?? []).enumerated().map { ("\($0)", $1) }
        return members ?? Dictionary(uniqueKeysWithValues: elements)
    }

    /// Returns whether the tree of an output has a text.
    func holds(_ text: String) -> Bool {
        self.text == text || parts.values.contains { $0.holds(text) }
    }

    /// Returns whether the tree of an output differs from two of another body, where these are equal.
    func isOther(than first: Self, _ second: Self) -> Bool {
        guard first != second else { return self != first }
        let (new, first, second) = (parts, first.parts, second.parts)
        // Texts that differ, such as new identifiers, have no parts.
        return new.keys != first.keys
            || new.contains { $1.isOther(than: first[$0] ?? .null, second[$0] ?? .null) }
    }
}
