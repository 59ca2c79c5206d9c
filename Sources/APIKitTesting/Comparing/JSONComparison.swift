import APIKit
import Foundation

/// What has changed between the JSON bodies of two times, without their values.
///
/// At each place, it compares all earlier values with all later ones.
struct JSONComparison {
    enum Kind: String {
        case null, boolean, number, string, object, array
        case fraction = "number with a fraction"
        case date, url = "URL", uuid = "UUID"
        case preciseDate = "date with fractions"

        var isString: Bool { [.string, .date, .preciseDate, .url, .uuid].contains(self) }

        /// The kind without the format, which most parsers do not read.
        var plain: Kind { isString ? .string : self == .fraction ? .number : self }

        init(of json: JSONValue) {
            switch json {
            case .null: self = .null
            case .bool: self = .boolean
            case .number(let number): self = number.exponent < 0 ? .fraction : .number
            case .extremeNumber: self = .number
            case .array: self = .array
            case .object: self = .object
            case .string(let text):
                let (shape, bytes) = (TextShape(text), text.utf8)
                if shape.isUUID {
                    self = .uuid
                } else if shape.isDate, bytes.count >= 20, bytes.dropFirst(10).first == 0x54 {
                    self = bytes.contains(0x2E) ? .preciseDate : .date
                } else if ["http://", "https://"].contains(where: text.hasPrefix) {
                    self = .url
                } else {
                    self = .string
                }
            }
        }
    }

    /// A change of the values at a place.
    struct Change {
        enum Weight {
            /// Other data show it too, such as an absent member.
            case counted
            /// It matters to a parser that reads the format of a text or a number.
            case format
            /// Texts are spelled in another way, which matters to a parser that does not read it.
            case spelling
            /// A parser may read values of both kinds.
            case kind
            /// The value is gone.
            case gone
        }

        let steps: [JSONStep]
        /// The change of a live response.
        let text: String
        /// The difference of a stub from recorded responses, or `nil` if the stub only has less.
        var textOfStub: String?
        let weight: Weight
    }

    private(set) var changes: [Change] = []
    /// The paths of arrays that have no elements on one side.
    private(set) var emptyArrays: [String] = []
    /// The numbers of elements at the top.
    private(set) var counts: (old: Int, new: Int)?
    /// Whether the keys of an object are data, or `nil` to judge it by its names and values.
    private let isMap: ([JSONStep]) -> Bool?
    /// Whether a value that is `null` today is gone, and not another value at another time.
    private let nullIsGone: Bool
    /// The value of the member that tells the kinds of the compared elements apart.
    private var group = ""

    init(
        from old: [JSONValue], to new: [JSONValue], nullIsGone: Bool = false,
        isMap: @escaping ([JSONStep]) -> Bool? = { _ in nil }
    ) {
        (self.isMap, self.nullIsGone) = (isMap, nullIsGone)
        compare(old, new, at: [])
    }

    private mutating func compare(
        _ old: [JSONValue], _ new: [JSONValue], at steps: [JSONStep], movedTo news: String = ""
    ) {
        compareKinds(old, new, at: steps, movedTo: news)
        compareObjects(old.compactMap(\.members), new.compactMap(\.members), at: steps)
        let (before, after) = (old.compactMap(\.elements), new.compactMap(\.elements))
        guard !before.isEmpty, !after.isEmpty else { return }
        let (all, today) = (Array(before.joined()), Array(after.joined()))
        if steps.isEmpty { counts = (all.count, today.count) }
        if all.isEmpty != today.isEmpty { emptyArrays.append(JSONStep.text(of: steps)) }
        compareElements(all, today, at: steps + [.elements])
    }

    private mutating func add(
        _ steps: [JSONStep], _ text: String, ofStub textOfStub: String? = nil,
        _ weight: Change.Weight
    ) {
        changes.append(
            Change(steps: steps, text: text + group, textOfStub: textOfStub, weight: weight))
    }

    private mutating func compareKinds(
        _ old: [JSONValue], _ new: [JSONValue], at steps: [JSONStep], movedTo news: String
    ) {
        guard !old.isEmpty, !new.isEmpty else { return }
        let (before, after) = (Set(old.map(Kind.init)), Set(new.map(Kind.init)))
        let further = after.subtracting(before)
        guard !further.isEmpty else { return compareSpelling(old, new, at: steps) }
        let path = JSONStep.text(of: steps)
        let place = path.isEmpty ? "The body" : path
        let isOther = after.isDisjoint(with: before)
        let plain = Set(further.map(\.plain)).subtracting(before.map(\.plain))
        func text(_ now: Set<Kind>, _ then: Set<Kind>) -> String {
            if now == [.fraction], then.contains(.number) { return "\(place) is no longer whole" }
            return isOther
                ? "\(place) is now \(Self.text(of: now)), and was \(Self.text(of: then))"
                : "\(place) is now also \(Self.text(of: now))"
        }
        if before == [.null] || plain == [.null] {
            // A null is often another value at another time.
            let isGone =
                after == [.null] && !before.contains(.null)
                && (nullIsGone || steps.isEmpty || !news.isEmpty || min(old.count, new.count) >= 5)
            let change = text(isOther ? after : [.null], before)
            add(steps, isGone ? change + news : change, isGone ? .gone : .counted)
        } else if plain.isEmpty {
            // If there are several formats, a text has none.
            let strings = before.filter(\.isString).count
            let isAny = further.allSatisfy(\.isString) && (strings > 1 || before.contains(.string))
            if !isAny, further != [.number] { add(steps, text(further, before), .format) }
        } else {
            let (now, then) = (Set(after.map(\.plain)), Set(before.map(\.plain)))
            let change = text(isOther ? now : plain.subtracting([.null]), then)
            let stub =
                "\(place) is \(Self.text(of: now)), and was recorded as \(Self.text(of: then))"
            add(steps, change, ofStub: stub, .kind)
        }
    }

    /// Compares the case of words, and the form of texts with digits, such as dates.
    private mutating func compareSpelling(
        _ old: [JSONValue], _ new: [JSONValue], at steps: [JSONStep]
    ) {
        // A few values are enough.
        let (then, now) = (old.prefix(20).compactMap(\.text), new.prefix(20).compactMap(\.text))
        guard !then.isEmpty, !now.isEmpty, Set(then) != Set(now) else { return }
        func letters(_ text: String) -> String {
            text.lowercased().filter { $0.isLetter || $0.isNumber }
        }
        func form(_ text: String) -> String {
            String(text.prefix(40).map { $0.isNumber ? "0" : $0.isLetter ? "a" : $0 })
        }
        let words = Set(then.map(letters)).subtracting([""])
        let isOtherCase = now.contains { !then.contains($0) && words.contains(letters($0)) }
        let forms = [Set(then.map(form)), Set(now.map(form))]
        let isOtherForm =
            forms[0].isDisjoint(with: forms[1])
            && forms.allSatisfy { $0.count == 1 && $0.first?.contains("0") == true }
        if isOtherCase || isOtherForm {
            add(steps, "\(JSONStep.text(of: steps)) is now written in another way", .spelling)
        }
    }

    private mutating func compareObjects(
        _ old: [[String: JSONValue]], _ new: [[String: JSONValue]], at steps: [JSONStep]
    ) {
        guard !old.isEmpty, !new.isEmpty else { return }
        let (before, after) = (Self.values(of: old), Self.values(of: new))
        if isMap(steps) ?? Self.areMaps(before, after) {
            return compare(
                Array(before.values.joined()), Array(after.values.joined()), at: steps + [.values])
        }
        let added = after.keys.filter { before[$0] == nil }.sorted()
        let news =
            added.isEmpty
            ? ""
            : "; \(added.prefix(3).joined(separator: ", ")) \(added.count == 1 ? "is" : "are") new"
        // A few other records need not have what these have.
        let ids = [before, after].map { Set($0["id"] ?? []) }
        let isOther =
            ids.allSatisfy { !$0.isEmpty } && ids[0].isDisjoint(with: ids[1])
            && min(old.count, new.count) < 5
        for name in Set(before.keys).union(after.keys).sorted() {
            let steps = steps + [.member(name)]
            let path = JSONStep.text(of: steps)
            guard let then = before[name] else {
                add(steps, "\(path) is new", ofStub: "\(path) is in no recorded response", .counted)
                continue
            }
            let isOptional = then.count < old.count || then.contains(.null)
            if let now = after[name] {
                compare(then, now, at: steps, movedTo: isOptional ? "" : news)
                if !isOptional, now.count < new.count {
                    let text = "\(path) is missing in \(new.count - now.count) of \(new.count)"
                    add(steps, text, .counted)
                }
            } else {
                add(
                    steps, "\(path) is gone\(isOptional ? "" : news)",
                    isOptional || isOther ? .counted : .gone)
            }
        }
    }

    /// Compares elements, those of one kind with each other if a member tells the kinds apart.
    private mutating func compareElements(
        _ old: [JSONValue], _ new: [JSONValue], at steps: [JSONStep]
    ) {
        let (before, after) = (old.compactMap(\.members), new.compactMap(\.members))
        guard before.count == old.count, after.count == new.count,
            let name = Self.discriminator(of: before, after)
        else { return compare(old, new, at: steps) }
        let (then, now) = (
            Dictionary(grouping: before) { $0[name]?.text ?? "" },
            Dictionary(grouping: after) { $0[name]?.text ?? "" }
        )
        let path = JSONStep.text(of: steps)
        for kind in Set(then.keys).union(now.keys).sorted() {
            if let old = then[kind], let new = now[kind] {
                let outer = group
                group = " (\(name) \(kind))"
                compareObjects(old, new, at: steps)
                group = outer
            } else {
                let change = then[kind] == nil ? "is new" : "is not there"
                add(steps, "\(path) with \(name) \(kind) \(change)", .counted)
            }
        }
    }
}

extension JSONComparison {
    private static func values(of objects: [[String: JSONValue]]) -> [String: [JSONValue]] {
        objects.reduce(into: [:]) { values, object in
            for (name, value) in object { values[name, default: []].append(value) }
        }
    }

    private static func text(of kinds: Set<Kind>) -> String {
        kinds.map(\.rawValue).sorted().joined(separator: " or ")
    }
}
