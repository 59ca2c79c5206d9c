import APIKit
import Foundation

/// How live responses differ from recorded ones to equal requests, judged by what the client gets.
///
/// Values are not compared. A response that the client refuses is a failure. A change with which the
/// client gets less is a warning. Any other change is only counted. The texts contain no secrets.
struct ResponseChanges {
    private typealias Change = JSONComparison.Change

    private(set) var failures: [String] = []
    private(set) var warnings: [String] = []
    /// Facts about the whole response, such as why something was not compared.
    private(set) var remarks: [String] = []
    /// A line that counts the other changes, or an empty text for none.
    private(set) var lineOfOthers = ""
    /// Whether the bodies were compared, and not only the heads.
    private(set) var comparesBodies = false
    /// The numbers of elements, if the bodies are arrays.
    private(set) var textOfCounts = ""
    private let (recorded, live): ([ComparedResponse], [ComparedResponse])

    /// Compares live responses with recorded ones.
    ///
    /// Without a parser that can parse the recorded responses, the client is assumed to read every
    /// member.
    init(
        from recorded: [ComparedResponse], to live: [ComparedResponse],
        readBy parser: ResponseParser?, redirectedTo target: String? = nil
    ) {
        (self.recorded, self.live) = (recorded, live)
        guard let old = recorded.last, let new = live.last else { return }
        if let target { add("The request is now redirected to \(target).", to: \.warnings) }
        compareHeads(old, new)
        guard failures.isEmpty else { return }
        let isEqual = Set(recorded.map(\.body)) == Set(live.map(\.body))
        comparesBodies = isEqual || isJSON(recorded) || isJSON(live)
        if !isEqual { compareFormats(old, new) }
        guard failures.isEmpty else { return }
        var changes = old.fields.keys.filter { new.fields[$0] == nil }.sorted()
            .map {
                Change(steps: [.field($0)], text: "The header field \($0) is gone", weight: .field)
            }
        if !isEqual, isJSON(recorded) { changes += changesOfJSON() }
        if !isEqual || !changes.isEmpty { judge(changes, by: parser) }
    }

    private func isJSON(_ responses: [ComparedResponse]) -> Bool {
        responses.allSatisfy { $0.json != nil }
    }

    private mutating func add(_ text: String, to list: WritableKeyPath<Self, [String]>) {
        self[keyPath: list].append(Redaction.secrets.masked(text))
    }
}

extension ResponseChanges {
    private mutating func compareHeads(_ old: ComparedResponse, _ new: ComparedResponse) {
        if !recorded.contains(where: { $0.status == new.status }) {
            add(
                "The status is now \(new.status), and was \(old.status).",
                to: old.status / 100 == new.status / 100 ? \.warnings : \.failures)
        }
        // RFC 9745 and RFC 8594 announce the end of a resource.
        for name in ["Deprecation", "Sunset"] {
            guard let value = new.fields[name.lowercased()], value != old.fields[name.lowercased()]
            else { continue }
            let link = new.fields["link"].map { ", \($0)" } ?? ""
            add("\(name): \(value)\(link)".shortened(to: 300), to: \.warnings)
        }
    }

    private mutating func compareFormats(_ old: ComparedResponse, _ new: ComparedResponse) {
        func text(_ responses: [ComparedResponse]) -> String {
            guard let other = responses.first(where: { $0.json == nil }) else { return "JSON" }
            let (type, count) = (other.mediaType, other.body.count)
            return count == 0 ? "empty" : "not JSON (\(type), \(count) bytes)"
        }
        let isJSON = isJSON(recorded)
        if isJSON != self.isJSON(live) {
            add("The body is now \(text(live)), and was \(text(recorded)).", to: \.failures)
        } else if old.mediaType != new.mediaType, !old.body.isEmpty, !new.body.isEmpty {
            add(
                "The media type is now \(new.mediaType), and was \(old.mediaType).",
                to: isJSON ? \.remarks : \.failures)
        }
    }

    private mutating func changesOfJSON() -> [Change] {
        let (then, now) = (recorded.compactMap(\.json), live.compactMap(\.json))
        if let then = then.children[.elements], let now = now.children[.elements] {
            let elements = now.count == 1 ? "element" : "elements"
            textOfCounts = ": compared \(now.count) \(elements) with \(then.count)"
        }
        let changes = JSONComparison(from: then, to: now).changes
        for change in changes where change.weight == .empty {
            add("\(change.text).", to: \.remarks)
        }
        return changes
    }

    /// Adds changes of members, each of which an unknown client may read.
    private mutating func countAsRead(_ changes: [Change]) {
        let read = changes.filter { [.format, .kind, .gone].contains($0.weight) }
        for change in read { add("\(change.text).", to: \.warnings) }
        count(changes.filter { [.counted, .new].contains($0.weight) }, "")
    }

    private mutating func count(_ changes: [Change], _ clause: String) {
        let count = changes.count { [.counted, .new, .kind, .gone].contains($0.weight) }
        guard count > 0 else { return }
        lineOfOthers = "\n\(count) other change\(count == 1 ? "" : "s")\(clause)."
    }

    private mutating func judge(_ changes: [Change], by parser: ResponseParser?) {
        guard let parser else { return countAsRead(changes) }
        do {
            judge(changes, by: try RecordedOutputs(of: recorded, by: parser))
        } catch {
            let reason = APIError.clause(for: error)
            add(
                "\(parser.type) cannot parse the recorded body, so every member counts: \(reason).",
                to: \.remarks)
            countAsRead(changes)
        }
    }

    /// Adds changes by what each does to the recorded responses.
    private mutating func judge(_ changes: [Change], by outputs: RecordedOutputs) {
        comparesBodies = true
        let parser = outputs.parser
        var (now, refusal): ([JSONValue], String?) = ([], nil)
        do {
            now = try live.map { try parser.output(of: $0).tree }
        } catch {
            refusal = parser.text(of: error)
        }
        // Other data can be the cause of an error, and of nothing else.
        let asked = changes.filter {
            ![.new, .empty].contains($0.weight) && (refusal != nil || $0.weight != .counted)
        }
        let effects = outputs.effects(of: asked[...])
        var others: [Change] = []
        for change in changes {
            let effect = effects[change.steps]
            if let effect, effect.isRefusal ? refusal != nil : change.weight != .counted {
                add(
                    "\(change.text). \(parser.type) \(effect.text).",
                    to: effect.isRefusal ? \.failures : \.warnings)
            } else {
                others.append(change)
            }
        }
        let isComplete = effects.count < RecordedOutputs.maxEffects
        count(others, isComplete ? " that this client does not notice" : ", not all of them tried")
        if let refusal {
            // Another element can be the first today.
            let isExplained = effects.values.contains {
                $0.text.filter { !$0.isNumber } == refusal.filter { !$0.isNumber }
            }
            if !isExplained { add("\(parser.type) \(refusal).", to: \.failures) }
        } else if effects.isEmpty {
            // What no change explains. Within the output of JSON, other data are nil too.
            for change in JSONComparison(from: outputs.outputs, to: now).changes
            where change.value == .null && change.isRemoval
                && (change.steps.isEmpty || !isJSON(recorded))
            {
                let place = change.steps.isEmpty ? "" : " for \(JSONStep.path(of: change.steps))"
                add("\(parser.type) gives nil\(place).", to: \.warnings)
            }
        }
    }
}
