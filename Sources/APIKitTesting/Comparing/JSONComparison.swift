import APIKit
import Foundation

/// What has changed between the JSON bodies of two times, without their values.
///
/// At each place, it compares all earlier values with all later ones.
struct JSONComparison {
    /// A change of the values at a place.
    struct Change {
        enum Weight {
            /// Other data show it too, such as an absent member.
            case counted
            /// Texts are spelled in another way, which matters to a parser that does not read it.
            case spelling
            /// A parser may read the values of another kind or format.
            case kind
            /// The value is gone.
            case gone
        }

        let steps: [JSONStep]
        /// One of the values today, or `nil` if there is none.
        let value: JSONValue?
        /// The change of a live response.
        let text: String
        /// The difference of a stub from recorded responses, or `nil` if the stub only has less.
        let textOfStub: String?
        let weight: Weight
    }

    private(set) var changes: [Change] = []
    /// The paths of arrays that have no elements on one side.
    private(set) var emptyArrays: [String] = []
    /// The numbers of elements at the top.
    private(set) var counts: (old: Int, new: Int)?
    /// Whether the keys of an object are data, or `nil` to judge it by its names and values.
    private let isMap: ([JSONStep]) -> Bool?

    init(
        from old: [JSONValue], to new: [JSONValue],
        isMap: @escaping ([JSONStep]) -> Bool? = { _ in nil }
    ) {
        self.isMap = isMap
        compare(old, new, at: [])
    }

    /// Compares the values at a place.
    ///
    /// - Parameters:
    ///   - old: The earlier values.
    ///   - new: The later values.
    ///   - steps: The place.
    ///   - group: The value that tells the kind of the element around the place.
    ///   - news: The new members beside the place, which may replace it.
    private mutating func compare(
        _ old: [JSONValue], _ new: [JSONValue], at steps: [JSONStep], in group: String = "",
        besides news: String = ""
    ) {
        guard !old.isEmpty, !new.isEmpty else { return }
        compareKinds(old, new, at: steps, in: group, besides: news)
        compareObjects(old.compactMap(\.members), new.compactMap(\.members), at: steps, in: group)
        let (before, after) = (old.compactMap(\.elements), new.compactMap(\.elements))
        guard !before.isEmpty, !after.isEmpty else { return }
        let (then, now) = (Array(before.joined()), Array(after.joined()))
        if steps.isEmpty { counts = (then.count, now.count) }
        if then.isEmpty != now.isEmpty { emptyArrays.append(JSONStep.text(of: steps)) }
        compareElements(then, now, at: steps + [.elements], in: group)
    }

    private mutating func add(
        _ steps: [JSONStep], _ value: JSONValue?, _ text: String, ofStub textOfStub: String? = nil,
        _ weight: Change.Weight
    ) {
        changes.append(
            Change(steps: steps, value: value, text: text, textOfStub: textOfStub, weight: weight))
    }

    private mutating func compareKinds(
        _ old: [JSONValue], _ new: [JSONValue], at steps: [JSONStep], in group: String,
        besides news: String
    ) {
        func text(_ kinds: Set<String>) -> String { kinds.sorted().joined(separator: " or ") }
        let path = JSONStep.text(of: steps)
        let place = path.isEmpty ? "The body" : path
        let (then, now) = (Set(old.map(\.kind)), Set(new.map(\.kind)))
        let further = now.subtracting(then)
        let value = new.first { further.contains($0.kind) }
        let change =
            now.isDisjoint(with: then)
            ? "\(place) is now \(text(now)), and was \(text(then))\(group)"
            : "\(place) is now also \(text(further))\(group)"
        if further.isEmpty {
            if let fraction = new.first(where: \.isFraction), !old.contains(where: \.isFraction) {
                add(steps, fraction, "\(place) is no longer whole\(group)", .kind)
            } else if let (text, weight) = Self.spelling(old, new) {
                add(steps, .string(text), "\(place) is now written in another way\(group)", weight)
            }
        } else if then == ["null"] || further == ["null"] {
            // A null is often another value at another time.
            let isGone =
                now == ["null"]
                && (steps.isEmpty || !news.isEmpty || min(old.count, new.count) >= 5)
            add(steps, value, isGone ? change + news : change, isGone ? .gone : .counted)
        } else {
            let stub = "\(place) is \(text(now)), and was recorded as \(text(then))"
            add(steps, value, change, ofStub: stub, .kind)
        }
    }

    private mutating func compareObjects(
        _ old: [[String: JSONValue]], _ new: [[String: JSONValue]], at steps: [JSONStep],
        in group: String
    ) {
        guard !old.isEmpty, !new.isEmpty else { return }
        let (before, after) = (old.merged, new.merged)
        var members = self
        members.compareMembers(before, after, of: (old.count, new.count), at: steps, in: group)
        // A map has other keys at other times, so the parser is asked only if something has changed.
        if members.changes.count > changes.count, isMap(steps) ?? Self.areMaps(before, after) {
            compare(
                Array(before.values.joined()), Array(after.values.joined()),
                at: steps + [.values], in: group)
        } else {
            self = members
        }
    }

    private mutating func compareMembers(
        _ before: [String: [JSONValue]], _ after: [String: [JSONValue]],
        of counts: (old: Int, new: Int), at steps: [JSONStep], in group: String
    ) {
        let added = after.keys.filter { before[$0] == nil }.sorted()
        let names = added.prefix(3).joined(separator: ", ")
        let news = added.isEmpty ? "" : "; \(names) \(added.count == 1 ? "is" : "are") new"
        // A few other records need not have what these have.
        let ids = [before, after].map { Set($0["id"] ?? []) }
        let isOther =
            !ids.contains([]) && ids[0].isDisjoint(with: ids[1]) && min(counts.old, counts.new) < 5
        for name in Set(before.keys).union(after.keys).sorted() {
            let steps = steps + [.member(name)]
            let path = JSONStep.text(of: steps)
            guard let then = before[name] else {
                let stub = "\(path) is in no recorded response"
                add(steps, nil, "\(path) is new\(group)", ofStub: stub, .counted)
                continue
            }
            let isOptional = then.count < counts.old || then.contains(.null)
            let news = isOptional ? "" : news
            guard let now = after[name] else {
                let weight = isOptional || isOther ? Change.Weight.counted : .gone
                add(steps, nil, "\(path) is gone\(news)\(group)", weight)
                continue
            }
            compare(then, now, at: steps, in: group, besides: news)
            if !isOptional, now.count < counts.new {
                let count = "\(counts.new - now.count) of \(counts.new)"
                add(steps, nil, "\(path) is missing in \(count)\(group)", .counted)
            }
        }
    }

    /// Compares elements, those of one kind with each other if a member tells the kinds apart.
    private mutating func compareElements(
        _ old: [JSONValue], _ new: [JSONValue], at steps: [JSONStep], in group: String
    ) {
        let found = Self.discriminators(of: old).merging(
            Self.discriminators(of: new), uniquingKeysWith: min)
        for (_, name) in found.map({ ($0.value, $0.key) }).sorted(by: <) {
            let (then, now) = (
                Dictionary(grouping: old) { $0.members?[name]?.text },
                Dictionary(grouping: new) { $0.members?[name]?.text }
            )
            guard !Set(then.keys).isDisjoint(with: now.keys) else { continue }
            for kind in Set(then.keys).union(now.keys).compactMap({ $0 }).sorted() {
                if let old = then[kind], let new = now[kind] {
                    compare(old, new, at: steps, in: " (\(name) \(kind))")
                } else {
                    let change = then[kind] == nil ? "is new" : "is not there"
                    add(
                        steps, nil, "\(JSONStep.text(of: steps)) with \(name) \(kind) \(change)",
                        .counted)
                }
            }
            return
        }
        compare(old, new, at: steps, in: group)
    }
}

extension JSONComparison {
    /// Returns a text in another case or form than all earlier ones.
    ///
    /// The form of dates and UUIDs matters without a request type too.
    private static func spelling(
        _ old: [JSONValue], _ new: [JSONValue]
    ) -> (String, Change.Weight)? {
        func letters(_ text: String) -> String {
            text.lowercased().filter { $0.isLetter || $0.isNumber }
        }
        func form(_ text: String) -> String {
            if TextShape(text).isUUID { return "UUID" }
            return text.prefix(40).reduce(into: "") { form, character in
                let next = character.isNumber ? "0" : character.isLetter ? "a" : character
                if form.last != next { form.append(next) }
            }
        }
        // A few values are enough.
        let (then, now) = (old.prefix(20).compactMap(\.text), new.prefix(20).compactMap(\.text))
        let (forms, words) = (Set(then.map(form)), Set(then.map(letters)).subtracting([""]))
        let news = now.filter { !forms.contains(form($0)) }
        if let text = news.first, then.allSatisfy({ TextShape($0).isDate || TextShape($0).isUUID })
        {
            return (text, .kind)
        }
        if let word = now.first(where: { !then.contains($0) && words.contains(letters($0)) }) {
            return (word, .spelling)
        }
        // Texts without digits, or of several forms, have none.
        let isForm = forms.union(news.map(form)).allSatisfy { $0.contains("0") }
        return isForm && forms.count == 1 && Set(now.map(form)).count == 1
            ? news.first.map { ($0, .spelling) } : nil
    }

    /// Returns whether objects without a common name look like maps from identifiers to values.
    private static func areMaps(
        _ old: [String: [JSONValue]], _ new: [String: [JSONValue]]
    ) -> Bool {
        // A name without its style, because `first_name` is a new name of `firstName`.
        let names = [old, new].map { side in
            Set(side.keys.map { $0.lowercased().filter(\.isLetter) }).subtracting([""])
        }
        return old.keys.allSatisfy { new[$0] == nil } && names[0].isDisjoint(with: names[1])
            && [old, new].allSatisfy { side in
                side.count >= 2 && Set(side.values.joined().map { $0.kind + $0.names }).count == 1
            }
    }

    /// Returns the members whose texts tell which members an element has, with the numbers of the
    /// texts.
    private static func discriminators(of elements: [JSONValue]) -> [String: Int] {
        let names = elements.map(\.names)
        guard Set(names).count > 1, let first = elements.first?.members else { return [:] }
        return first.keys.reduce(into: [:]) { found, name in
            let texts = elements.compactMap { $0.members?[name]?.text }
            let count = Set(texts).count
            // A text that most elements have for themselves tells nothing.
            if texts.count == elements.count, 2...20 ~= count, count * 2 <= texts.count,
                Set(zip(texts, names).map { "\($0)\n\($1)" }).count == count
            {
                found[name] = count
            }
        }
    }
}

extension JSONValue {
    /// The names of the members of an object, also within its objects.
    fileprivate var names: String {
        guard let members else { return "" }
        return members.sorted { $0.key < $1.key }.map { "\($0.key){\($0.value.names)}" }.joined()
    }
}
