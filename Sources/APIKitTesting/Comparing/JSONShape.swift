import APIKit
import Foundation

/// The kinds of the values of a JSON body at each path, without the values.
struct JSONShape {
    enum Kind: String {
        case null, boolean, number, string, date, url = "URL", uuid = "UUID"
        case preciseDate = "date with fractions"
        case object, array

        var isString: Bool { [.string, .date, .preciseDate, .url, .uuid].contains(self) }

        /// Creates the kind of a string, of which a decoder may expect a format.
        init(ofString text: String) {
            let shape = TextShape(text)
            if shape.isUUID {
                self = .uuid
            } else if shape.isDate, text.utf8.count >= 20, text.utf8.dropFirst(10).first == 0x54 {
                self = text.utf8.contains(0x2E) ? .preciseDate : .date
            } else if ["http://", "https://"].contains(where: text.hasPrefix) {
                self = .url
            } else {
                self = .string
            }
        }
    }

    /// A change of the values at a path.
    struct Change {
        let path: String
        /// The change of a live response.
        let text: String
        /// The difference of a stub from recorded responses, or `nil` if the stub only has less.
        var textOfStub: String?
        /// Whether it fails a client that requires the value.
        var isBreaking = false
        /// Whether it is only counted, because no client reads the member yet, or because too few
        /// values show it, such as an absent member in a list of two.
        var isMinor = false
    }

    private var kinds: Set<Kind> = []
    private var objectCount = 0
    /// The number of values that are merged here.
    private(set) var count = 1
    private var members: [String: JSONShape] = [:]
    /// The merged elements of the arrays, or nothing.
    private(set) var elements: [JSONShape] = []

    init(_ json: JSONValue) {
        switch json {
        case .null: kinds = [.null]
        case .bool: kinds = [.boolean]
        case .number, .extremeNumber: kinds = [.number]
        case .string(let text): kinds = [Kind(ofString: text)]
        case .array(let list):
            kinds = [.array]
            elements = Self.merged(list.map(JSONShape.init))
        case .object(let object):
            (kinds, objectCount) = ([.object], 1)
            members = object.mapValues(JSONShape.init)
        }
    }

    private mutating func merge(_ other: JSONShape) {
        kinds.formUnion(other.kinds)
        objectCount += other.objectCount
        count += other.count
        for (name, member) in other.members {
            if members[name]?.merge(member) == nil { members[name] = member }
        }
        elements = Self.merged(elements + other.elements)
    }

    /// Returns one shape of all, or none.
    static func merged(_ shapes: some Sequence<JSONShape>) -> [JSONShape] {
        var all: JSONShape?
        for shape in shapes {
            if all?.merge(shape) == nil { all = shape }
        }
        return all.map { [$0] } ?? []
    }
}

extension JSONShape {
    /// Returns the changes since an earlier body, in the order of their paths.
    func changes(since old: JSONShape, at path: String = "") -> [Change] {
        let before = Self.compared(old.kinds, isAnyString: false)
        let after = Self.compared(kinds, isAnyString: before.contains(.string))
        var changes: [Change] = []
        let further = after.subtracting(before)
        if !further.isEmpty {
            let place = path.isEmpty ? "The body" : path
            let isOther = after.isDisjoint(with: before)
            let (now, then) = (Self.text(of: isOther ? after : further), Self.text(of: before))
            // One null among few values is often another value at another time.
            let isUncertain = before == [.null] || further == [.null] && min(count, old.count) < 5
            // Most parsers do not read the format of a string.
            let isNotable = !isUncertain && !before.union(further).allSatisfy(\.isString)
            changes.append(
                Change(
                    path: path,
                    text: isOther
                        ? "\(place) is now \(now), and was \(then)."
                        : "\(place) is now also \(now).",
                    textOfStub: isNotable ? "\(place) is \(now), and was recorded as \(then)" : nil,
                    isBreaking: isOther && isNotable, isMinor: isUncertain))
        }
        changes += memberChanges(since: old, at: path)
        for (old, new) in zip(old.elements, elements) {
            changes += new.changes(since: old, at: "\(path)[]")
        }
        return changes
    }

    private func memberChanges(since old: JSONShape, at path: String) -> [Change] {
        guard objectCount > 0, old.objectCount > 0 else { return [] }
        func below(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
        let names = Set(members.keys).union(old.members.keys).sorted()
        if !members.isEmpty, !old.members.isEmpty, names.count == members.count + old.members.count
        {
            // An object without a common name is a map from identifiers to values.
            return zip(Self.merged(old.members.values), Self.merged(members.values))
                .flatMap { $1.changes(since: $0, at: below("*")) }
        }
        return names.flatMap { name -> [Change] in
            let path = below(name)
            guard let before = old.members[name] else {
                return [
                    Change(
                        path: path, text: "\(path) is new.",
                        textOfStub: "\(path) is in no recorded response", isMinor: true)
                ]
            }
            guard let after = members[name] else {
                return [Change(path: path, text: "\(path) is gone.", isBreaking: true)]
            }
            var changes = after.changes(since: before, at: path)
            if before.count == old.objectCount, after.count < objectCount {
                changes.append(
                    Change(
                        path: path,
                        text:
                            "\(path) is missing in \(objectCount - after.count) of \(objectCount).",
                        isMinor: min(objectCount, old.objectCount) < 5))
            }
            return changes
        }
    }

    /// Returns the kinds with one kind of string, which is a special one only if all strings are.
    private static func compared(_ kinds: Set<Kind>, isAnyString: Bool) -> Set<Kind> {
        let strings = kinds.filter(\.isString)
        guard strings.count > 1 || isAnyString && !strings.isEmpty else { return kinds }
        return kinds.subtracting(strings).union([.string])
    }

    private static func text(of kinds: Set<Kind>) -> String {
        kinds.map(\.rawValue).sorted().joined(separator: " or ")
    }
}
