import APIKit

/// What has changed between the JSON bodies of two times, without their values.
///
/// At each place, it compares all earlier values with all later ones.
struct JSONComparison {
    /// A change of the values at a place.
    struct Change {
        /// What a change means for a client.
        ///
        /// - `counted`: Other data show it too, such as an optional member that is absent.
        /// - `empty`: An array has no elements on one side.
        /// - `new`: The member was in no earlier object.
        /// - `form`: Texts have another form, which a parser may not read.
        /// - `format`: A date, a UUID or a whole number has another form.
        /// - `kind`: The value is of another kind. A parser may read both.
        /// - `gone`: The value is gone.
        /// - `field`: The header field is gone, which most clients do not read.
        enum Weight { case counted, empty, new, form, format, kind, gone, field }

        let steps: [JSONStep]
        let text: String
        let weight: Weight
        /// One of the values today, or `nil` if there is none.
        var value: JSONValue?

        /// Whether the values are null or gone today.
        var isRemoval: Bool { [nil, .null].contains(value) && weight != .new }

        func made(in json: JSONValue) -> JSONValue {
            json.setting(value, at: steps[...], isNew: weight == .new) ?? .null
        }
    }

    private(set) var changes: [Change] = []

    // Fewer values than these can be other data.
    private static let few = 5

    init(from old: [JSONValue], to new: [JSONValue]) {
        compare(old, new, at: [])
        changes.sort { JSONStep.path(of: $0.steps) < JSONStep.path(of: $1.steps) }
    }

    private mutating func add(
        _ steps: [JSONStep], _ change: String, _ weight: Change.Weight, _ value: JSONValue? = nil
    ) {
        let text = (steps.isEmpty ? "The body" : JSONStep.path(of: steps)) + " " + change
        changes.append(Change(steps: steps, text: text, weight: weight, value: value))
    }

    private mutating func compare(_ old: [JSONValue], _ new: [JSONValue], at steps: [JSONStep]) {
        let isOptional = old.isEmpty || old.contains(.null)
        let (old, new) = (old.filter { $0 != .null }, new.filter { $0 != .null })
        guard !old.isEmpty, !new.isEmpty else {
            // A null is often another value at another time.
            let isGone = steps.isEmpty || old.count >= Self.few
            if !isOptional { add(steps, "is now null", isGone ? .gone : .counted, .null) }
            return
        }
        compareKinds(old, new, at: steps)
        compareObjects(
            old.filter { $0.members != nil }, new.filter { $0.members != nil }, at: steps)
        if let before = old.children[.elements], let after = new.children[.elements] {
            compareElements(before, after, at: steps)
        }
    }

    private mutating func compareKinds(
        _ old: [JSONValue], _ new: [JSONValue], at steps: [JSONStep]
    ) {
        func text(_ kinds: Set<String>) -> String { kinds.sorted().joined(separator: " or ") }
        let (then, now) = (Set(old.map(\.kind)), Set(new.map(\.kind)))
        let others = new.filter { !then.contains($0.kind) }
        if let first = others.first {
            // Some servers write nothing as an empty object or array, which a parser may hide.
            let value = others.first { $0 != [] && $0 != [:] }
            add(
                steps, "is now \(text(now)), and was \(text(then))",
                value == nil ? .counted : .kind, value ?? first)
        } else if let value = new.first(where: \.isFraction), !old.contains(where: \.isFraction) {
            add(steps, "is no longer whole", .format, value)
        } else if !new.contains(""),
            Set(old.prefix(20).map(\.form)).isDisjoint(with: new.prefix(20).map(\.form))
        {
            let isFormat = old.compactMap(\.text).allSatisfy(\.isFormatted)
            add(steps, "is now written in another way", isFormat ? .format : .form, new[0])
        }
    }

    private mutating func compareObjects(
        _ old: [JSONValue], _ new: [JSONValue], at steps: [JSONStep]
    ) {
        guard !old.isEmpty, !new.isEmpty else { return }
        let (before, after, start) = (old.children, new.children, changes.count)
        let added = after.keys.filter { before[$0] == nil }
        let names = added.map { JSONStep.path(of: [$0]) }.sorted().prefix(3).joined(separator: ", ")
        let news = added.isEmpty ? "" : "; \(names) \(added.count == 1 ? "is" : "are") new"
        // A few other records need not have what these have, unless they have something new.
        let isFew = min(old.count, new.count) < Self.few
        let ids = [before, after].map { Set($0[.member("id")] ?? []) }
        let isOther =
            isFew && added.isEmpty && !ids.contains([]) && ids[0].isDisjoint(with: ids[1])
        for member in added { add(steps + [member], "is new", .new, after[member]?.first) }
        for (member, then) in before.sorted(by: { $0.key < $1.key }) {
            let (steps, now) = (steps + [member], after[member] ?? [])
            let isOptional = then.count < old.count || then.contains(.null)
            if now.contains(where: { $0 != .null }) {
                compare(then, now, at: steps)
            } else if now.isEmpty {
                add(steps, "is gone" + news, isOptional || isOther ? .counted : .gone)
            } else if !isOptional {
                // Its value is in a new member, or an error says why there is none.
                let isMoved = added.contains {
                    let (values, errors) = (after[$0] ?? [], ["error", "errors"])
                    return errors.map(JSONStep.member).contains($0)
                        || !Set(then).isDisjoint(with: values)
                        || !Set(then.children.keys).isDisjoint(with: values.children.keys)
                }
                add(steps, "is now null" + news, isFew && !isMoved ? .counted : .gone, .null)
            }
        }
        // A map has other keys at other times.
        if changes.count > start, Self.areMaps(before, after) {
            changes.removeSubrange(start...)
            let (then, now) = (Array(before.values.joined()), Array(after.values.joined()))
            compare(then, now, at: steps + [.values])
        }
    }

    /// Compares elements, those of one kind with each other if a member tells the kinds apart.
    private mutating func compareElements(
        _ old: [JSONValue], _ new: [JSONValue], at steps: [JSONStep]
    ) {
        guard old.isEmpty == new.isEmpty else {
            return add(steps, "is empty, its elements were not compared", .empty)
        }
        let name = old.first?.members?.keys.sorted().first { name in
            let (then, now) = (old.map { $0.text(of: name) }, new.map { $0.text(of: name) })
            return !(then + now).contains("") && !Set(then).isDisjoint(with: now)
                && (Self.tell(then, of: old) || Self.tell(now, of: new))
                && Self.agree(then, with: old)
        }
        func step(_ element: JSONValue) -> JSONStep {
            name.map { .elementsWith($0, element.text(of: $0)) } ?? .elements
        }
        let (then, now) = (Dictionary(grouping: old, by: step), Dictionary(grouping: new, by: step))
        for step in Set(then.keys).union(now.keys).sorted() {
            if let old = then[step], let new = now[step] {
                compare(old, new, at: steps + [step])
            } else {
                add(steps + [step], then[step] == nil ? "is new" : "is not there", .counted)
            }
        }
    }

    /// Returns whether objects look like maps from identifiers to values.
    private static func areMaps(
        _ old: [JSONStep: [JSONValue]], _ new: [JSONStep: [JSONValue]]
    ) -> Bool {
        // A name without its style, because `first_name` is a new name of `firstName`.
        let names = [old, new].map { Set($0.keys.map { JSONStep.path(of: [$0]).letters }) }
        // No member has a name such as `2026-01-31`, so equal ones are identifiers too.
        let areNumbers = names[0].union(names[1]).allSatisfy { $0.first?.isNumber == true }
        return (areNumbers || names[0].isDisjoint(with: names[1]))
            && [old, new].allSatisfy { side in
                side.count >= 2 && Set(side.values.joined().map { $0.kind + $0.names }).count == 1
            }
    }

    /// Returns whether the texts of a member tell which members the elements have.
    private static func tell(_ texts: [String], of elements: [JSONValue]) -> Bool {
        let count = Set(texts).count
        // A text that most elements have for themselves tells nothing.
        return count > 1 && count * 2 <= texts.count
            && Set(elements.map(\.names)).count > 1 && agree(texts, with: elements)
    }

    /// Returns whether all elements with one text have the same members.
    private static func agree(_ texts: [String], with elements: [JSONValue]) -> Bool {
        let pairs = zip(texts, elements).map { "\($0)\n\($1.names)" }
        return Set(pairs).count == Set(texts).count
    }
}

extension JSONValue {
    /// The form of a text, such as `0-0-0`, or nothing for other values.
    fileprivate var form: String {
        guard let text, !TextShape(text).isUUID else { return text == nil ? "" : "UUID" }
        return text.prefix(40).reduce(into: "") { form, character in
            let next = character.isNumber ? "0" : character.isLetter ? "a" : character
            if form.last != next { form.append(next) }
        }
    }

    /// The names of the members of an object, also within its objects.
    fileprivate var names: String {
        guard let members else { return "" }
        return members.sorted { $0.key < $1.key }.map { "\($0.key){\($0.value.names)}" }.joined()
    }
}

extension String {
    /// Whether the form of the text matters without a request type too.
    fileprivate var isFormatted: Bool { TextShape(self).isDate || TextShape(self).isUUID }

    /// The letters and digits in lower case.
    fileprivate var letters: String { lowercased().filter { $0.isLetter || $0.isNumber } }
}
