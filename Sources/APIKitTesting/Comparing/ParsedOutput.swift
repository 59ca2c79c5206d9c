import APIKit
import Foundation

/// The output of a parser as a tree of its properties, so that outputs can be compared.
///
/// An `==` of the user may compare only an identifier. So values of the system are compared, and all
/// others property by property.
struct ParsedOutput {
    private(set) var tree = JSONValue.null
    /// The texts of the output, and the keys of its dictionaries.
    private(set) var texts: Set<String> = []

    init(_ output: Any) { tree = add(output) }

    private mutating func add(_ value: Any, depth: Int = 0) -> JSONValue {
        // Objects can refer to each other.
        guard depth < 60 else { return .null }
        if let json = value as? JSONValue { return json }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.map { add($0.value, depth: depth) } ?? .null
        case .set:
            return .array(mirror.children.map { "\($0.value)" }.sorted().map(JSONValue.string))
        case .dictionary:
            var members: [String: JSONValue] = [:]
            for child in mirror.children {
                let pair = Array(Mirror(reflecting: child.value).children)
                guard pair.count == 2 else { continue }
                let key = "\(pair[0].value)"
                // A dictionary of anything does not say whether its keys are data.
                if (value as? any TypedMap)?.isTyped != false { texts.insert(key) }
                members[key] = add(pair[1].value, depth: depth + 1)
            }
            return .object(members)
        case .collection: return .array(mirror.children.map { add($0.value, depth: depth + 1) })
        case .tuple: break
        default:
            if let leaf = leaf(value) { return leaf }
        }
        var members: [String: JSONValue] = [:]
        var level: Mirror? = mirror
        while let mirror = level {
            for child in mirror.children {
                members[child.label ?? "\(members.count)"] = add(child.value, depth: depth + 1)
            }
            level = mirror.superclassMirror
        }
        return members.isEmpty ? .string("\(value)") : .object(members)
    }

    /// Returns a value of the system, or `nil` for a type of the user.
    private mutating func leaf(_ value: Any) -> JSONValue? {
        switch value {
        case let text as String:
            texts.insert(text)
            return .string(text)
        case let flag as Bool: return .bool(flag)
        // The descriptions of these two are not exact.
        case let date as Date: return .number(Decimal(date.timeIntervalSinceReferenceDate))
        case let data as Data: return .string(data.base64EncodedString())
        default:
            let isOfSystem = ["Swift.", "Foundation"].contains {
                String(reflecting: type(of: value)).hasPrefix($0)
            }
            return isOfSystem ? .string(String(reflecting: value)) : nil
        }
    }
}

/// A dictionary whose values can have one type.
private protocol TypedMap {
    var isTyped: Bool { get }
}

extension Dictionary: TypedMap {
    fileprivate var isTyped: Bool {
        let loose: [Any.Type] = [Any.self, (any Sendable).self, JSONValue.self]
        return !loose.contains { $0 == Value.self }
    }
}

extension JSONValue {
    /// Returns whether an object of the tree has a member with a name.
    func hasMember(named name: String) -> Bool {
        switch self {
        case .object(let members):
            members[name] != nil || members.values.contains { $0.hasMember(named: name) }
        case .array(let elements): elements.contains { $0.hasMember(named: name) }
        default: false
        }
    }

    /// Returns the steps to the values that differ from another tree.
    func differences(from other: Self, at steps: [JSONStep] = []) -> Set<[JSONStep]> {
        switch (self, other) {
        case (.object(let before), .object(let after)) where before.keys == after.keys:
            before.reduce(into: []) { found, member in
                guard let other = after[member.key] else { return }
                found.formUnion(
                    member.value.differences(from: other, at: steps + [.member(member.key)]))
            }
        case (.array(let before), .array(let after)) where before.count == after.count:
            zip(before, after).reduce(into: []) {
                $0.formUnion($1.0.differences(from: $1.1, at: steps + [.elements]))
            }
        default: self == other ? [] : [steps]
        }
    }
}
