import APIKit
import Foundation

/// The output of a parser as a tree of its properties, so that outputs can be compared.
///
/// An `==` of the user may compare only an identifier. So values of the system are compared, and all
/// others property by property.
extension JSONValue {
    init(reflecting value: Any, depth: Int = 0) {
        let mirror = Mirror(reflecting: value)
        func tree(_ value: Any) -> Self { Self(reflecting: value, depth: depth + 1) }
        self =
            switch (value, mirror.displayStyle) {
            // Objects can refer to each other.
            case _ where depth > 60: .null
            case (let json as JSONValue, _): json
            case (_, .optional): mirror.children.first.map { tree($0.value) } ?? .null
            case (_, .set):
                .array(mirror.children.map { "\($0.value)" }.sorted().map(JSONValue.string))
            case (_, .dictionary): Self(pairs: mirror.children, of: value, tree)
            case (_, .collection): .array(mirror.children.map { tree($0.value) })
            case (let text as String, _): .string(text)
            case (let flag as Bool, _): .bool(flag)
            // The descriptions of these two are not exact.
            case (let date as Date, _): .number(Decimal(date.timeIntervalSinceReferenceDate))
            case (let data as Data, _): .string(data.base64EncodedString())
            default: Self(properties: mirror, of: value, tree)
            }
    }

    /// Creates the tree of a dictionary: its keys are texts, unless its values can be anything.
    private init(pairs: Mirror.Children, of dictionary: Any, _ tree: (Any) -> Self) {
        let members = pairs.compactMap { child -> (String, Self)? in
            let pair = Array(Mirror(reflecting: child.value).children)
            return pair.count == 2 ? ("\(pair[0].value)", tree(pair[1].value)) : nil
        }
        let type = "\(Swift.type(of: dictionary))"
        self =
            [" Any>", " Sendable>", " JSONValue>"].contains(where: type.hasSuffix)
            ? .object(Dictionary(members) { $1 })
            : .array(
                members.sorted { $0.0 < $1.0 }.map { .object(["key": .string($0), "value": $1]) })
    }

    private init(properties mirror: Mirror, of value: Any, _ tree: (Any) -> Self) {
        let type = String(reflecting: Swift.type(of: value))
        let isOfSystem =
            mirror.displayStyle != .tuple
            && ["Swift.", "Foundation"].contains(where: type.hasPrefix)
        var members: [String: Self] = [:]
        for mirror in sequence(first: mirror, next: \.superclassMirror) where !isOfSystem {
            for child in mirror.children {
                members[child.label ?? "\(members.count)"] = tree(child.value)
            }
        }
        self = members.isEmpty ? .string(String(reflecting: value)) : .object(members)
    }

    /// Returns whether the tree of an output has a text, or a property with a name.
    func holds(_ name: String, asText isText: Bool) -> Bool {
        switch self {
        case .object(let members):
            !isText && members[name] != nil
                || members.values.contains { $0.holds(name, asText: isText) }
        case .array(let elements): elements.contains { $0.holds(name, asText: isText) }
        default: isText && text == name
        }
    }

    /// Returns whether the tree of an output differs from two of another body, where these are equal.
    func isOther(than first: Self, _ second: Self) -> Bool {
        switch (self, first, second) {
        case (.object(let new), .object(let first), .object(let second))
        where first.keys == second.keys:
            new.keys != first.keys
                || new.contains {
                    $0.value.isOther(than: first[$0.key] ?? .null, second[$0.key] ?? .null)
                }
        case (.array(let new), .array(let first), .array(let second))
        where first.count == second.count:
            new.count != first.count
                || new.indices.contains { new[$0].isOther(than: first[$0], second[$0]) }
        default: first == second ? self != first : first.kind == second.kind && kind != first.kind
        }
    }
}
