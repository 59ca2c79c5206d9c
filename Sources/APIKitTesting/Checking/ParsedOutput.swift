import APIKit
import Foundation

/// The output of a parser as a tree of its properties, so that outputs can be compared.
///
/// An `==` of the user may compare only an identifier. So values of the system are compared, and all
/// others property by property.
struct ParsedOutput {
    private(set) var tree = JSONValue.null
    /// The number of values in all dictionaries.
    private(set) var dictionaryValueCount = 0

    init(_ output: Any) { tree = tree(of: output, within: []) }

    private mutating func tree(of value: Any, within parents: [ObjectIdentifier?]) -> JSONValue {
        let mirror = Mirror(reflecting: value)
        let id = mirror.displayStyle == .class ? ObjectIdentifier(value as AnyObject) : nil
        // Objects can refer to each other, and each makes a stack deeper.
        if parents.count > 60 || id != nil && parents.contains(id) { return .null }
        func tree(_ child: Mirror.Child) -> JSONValue {
            self.tree(of: child.value, within: parents + [id])
        }
        switch (value, mirror.displayStyle) {
        case (let json as JSONValue, _): return json
        case (let text as String, _): return .string(text)
        // The descriptions of these two are not exact.
        case (let date as Date, _): return .number(Decimal(date.timeIntervalSinceReferenceDate))
        case (let data as Data, _): return .string(data.base64EncodedString())
        case (_, .optional): return mirror.children.first.map(tree) ?? .null
        case (_, .set):
            return .array(mirror.children.map { "\($0.value)" }.sorted().map(JSONValue.string))
        case (_, .collection): return .array(mirror.children.map(tree))
        case (_, .dictionary):
            dictionaryValueCount += mirror.children.count
            let pairs = mirror.children.map(tree).compactMap(\.members)
            let keys = pairs.map { $0["key"]?.text ?? "\($0["key"] ?? .null)" }
            return .object(Dictionary(zip(keys, pairs.map { $0["value"] ?? .null })) { $1 })
        default:
            let type = String(reflecting: Swift.type(of: value))
            let isOfSystem = ["Swift.", "Foundation"].contains(where: type.hasPrefix)
            var members: [String: JSONValue] = [:]
            for mirror in sequence(first: mirror, next: \.superclassMirror) where !isOfSystem {
                for child in mirror.children {
                    members[child.label ?? "\(members.count)"] = tree(child)
                }
            }
            return members.isEmpty ? .string(String(reflecting: value)) : .object(members)
        }
    }
}

extension JSONValue {
    /// Returns what the output of a changed body lacks, such as `nil for [].name`.
    ///
    /// The keys of a dictionary and the cases of an enumeration are data. So are other scalars, unless
    /// the parser puts a default in place of what is gone.
    ///
    /// - Parameters:
    ///   - other: The output of the changed body.
    ///   - steps: The steps to the value in the output.
    ///   - isGone: Whether the change removes something.
    /// - Returns: The losses, in the order of their names.
    func losses(in other: Self, at steps: [JSONStep] = [], isGone: Bool) -> [String] {
        func loss(_ value: String) -> [String] {
            [steps.isEmpty ? value : "\(value) for \(JSONStep.path(of: steps))"]
        }
        switch (self, other) {
        case (.null, _), (_, self): return []
        case (_, .null): return loss("nil")
        case (.object(let then), .object(let now)):
            return then.sorted { $0.key < $1.key }.flatMap { name, value in
                value.losses(in: now[name] ?? value, at: steps + [.member(name)], isGone: isGone)
            }
        case (.array(let then), .array(let now)):
            if now.count < then.count { return loss("fewer elements") }
            return zip(then, now).flatMap {
                $0.losses(in: $1, at: steps + [.elements], isGone: isGone)
            }
        case (_, .string(let text)) where isGone && ["false", "0", "0.0", ""].contains(text):
            return loss(text.isEmpty ? "an empty text" : text)
        default: return kind == other.kind ? [] : loss("another kind")
        }
    }
}
