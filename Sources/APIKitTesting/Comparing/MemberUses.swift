import APIKit
import Foundation

/// What a request type reads of a JSON body.
///
/// A request type states its part of an API by its parser alone. So the initializer asks the parser:
/// for each member of a real body, it parses the body without the member, and with a value of another
/// kind in its place. <doc:when-the-server-changes> shows an example.
///
/// The elements of an array share a path, such as `[].owner.name`, and one element stands for all that
/// have the same members. Outputs are compared property by property. The result does not show a branch
/// of the parser that the body does not reach. Nor does it show a value that the output does not
/// contain, because the parser only checks it. A parser must give the same output each time.
public struct MemberUses: Sendable, Equatable {
    /// The paths of the members without which the parser throws, sorted.
    public private(set) var required: [String] = []
    /// The paths of the other members without which, or with another kind of value, the parser throws
    /// or gives another output, sorted.
    public private(set) var read: [String] = []
    /// The paths of the members that do not change the output, sorted.
    public private(set) var ignored: [String] = []

    /// Asks the parser of a request type about the members of a body.
    ///
    /// The parser receives a head with the status 200 and no header fields.
    ///
    /// - Parameters:
    ///   - request: The request type.
    ///   - body: The body of a real response, in JSON.
    /// - Throws: A `DecodingError` for a body that is not JSON, or the error of the parser for the
    ///   unchanged body.
    public init<Request: APIRequest>(of request: Request, in body: Data) throws {
        try self.init(in: body) {
            try request.parseResponse(APIResponse(value: $0, http: HTTPURLResponse()))
        }
    }

    init(in body: Data, parse: (Data) throws -> Any) throws {
        let whole = try JSONDecoder().decode(JSONValue.self, from: body)
        func output(of json: JSONValue?) throws -> Any { try parse(JSONEncoder().encode(json)) }
        // A few elements of each array are enough, unless the parser needs more.
        var places: [String: String] = [:]
        var sample = whole.sample(&places)
        if (try? output(of: sample)) == nil {
            places = [:]
            sample = whole.sample(&places, keepingAll: true)
        }
        let expected = try output(of: sample)
        for (path, name) in places.sorted(by: { $0.key < $1.key }) {
            // A parse that throws has no output.
            let without = try? output(of: sample.changing(name) { _ in nil })
            let other = try? output(of: sample.changing(name) { $0.ofAnotherKind })
            if let without {
                let isIgnored = [without, other].allSatisfy {
                    $0.map { isSame($0, expected) } == true
                }
                if isIgnored { ignored.append(path) } else { read.append(path) }
            } else {
                required.append(path)
            }
        }
    }
}

/// Returns whether two outputs of a parser have the same values in all properties.
///
/// An `==` of the user may compare only an identifier, so only that of the system is used.
private func isSame(_ first: Any, _ second: Any, depth: Int = 0) -> Bool {
    guard type(of: first) == type(of: second) else { return false }
    // Objects can refer to each other.
    guard depth < 100 else { return true }
    let mirror = Mirror(reflecting: first)
    let isContainer = [.optional, .collection, .dictionary, .tuple].contains(mirror.displayStyle)
    let type = String(reflecting: type(of: first))
    guard isContainer || !["Swift.", "Foundation"].contains(where: type.hasPrefix) else {
        return (first as? any Equatable)?.isEqual(to: second)
            ?? (String(reflecting: first) == String(reflecting: second))
    }
    func children(_ mirror: Mirror) -> [Mirror.Child] {
        let children = Array(mirror.children) + (mirror.superclassMirror.map(children) ?? [])
        guard mirror.displayStyle == .dictionary else { return children }
        // Equal dictionaries can have their keys in different orders.
        func key(_ child: Mirror.Child) -> String {
            Mirror(reflecting: child.value).children.first.map { "\($0.value)" } ?? ""
        }
        return children.sorted { key($0) < key($1) }
    }
    let (before, after) = (children(mirror), children(Mirror(reflecting: second)))
    guard before.count == after.count else { return false }
    return zip(before, after).allSatisfy { before, after in
        before.label == after.label && isSame(before.value, after.value, depth: depth + 1)
    } && (!before.isEmpty || "\(first)" == "\(second)")
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { self == other as? Self }
}

extension JSONValue {
    /// Returns the value with all elements of its arrays, or only those that are the first with a
    /// member, and adds the name of each member's first place by its path.
    fileprivate func sample(
        _ places: inout [String: String], at path: String = "", _ name: String = "json",
        keepingAll: Bool = false
    ) -> Self {
        switch self {
        case .object(let members):
            return .object(
                members.reduce(into: [:]) { sample, member in
                    let path = path.isEmpty ? member.key : "\(path).\(member.key)"
                    let name = name + JSONScanner.step(member.key)
                    if places[path] == nil { places[path] = name }
                    sample[member.key] = member.value.sample(
                        &places, at: path, name, keepingAll: keepingAll)
                })
        case .array(let elements):
            var kept: [Self] = []
            for element in elements {
                let count = places.count
                let sample = element.sample(
                    &places, at: "\(path)[]", "\(name)[\(kept.count)]", keepingAll: keepingAll)
                if keepingAll || kept.isEmpty || places.count > count { kept.append(sample) }
            }
            return .array(kept)
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
