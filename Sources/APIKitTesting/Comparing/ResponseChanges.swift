import APIKit
import Foundation

/// How live responses differ from recorded ones to equal requests, judged by what the client reads.
///
/// Values are not compared. A response that the client refuses is a failure. A change of a member that
/// the client reads is a warning, because the client works with it, but differently. Any other change
/// is only counted.
struct ResponseChanges {
    /// A change, or why something was not compared.
    struct Finding: Equatable, Sendable {
        enum Severity: String, Codable, Sendable { case failure, warning, notice }

        let severity: Severity
        /// The path of the member, or nothing for the whole response.
        var path = ""
        let text: String
    }

    private(set) var findings: [Finding] = []
    /// The lines about the comparison itself.
    private(set) var remarks: [String] = []
    /// Whether the bodies were compared, and not only the heads.
    private(set) var comparesBodies = false
    /// How many elements were compared, if the bodies are arrays.
    private(set) var textOfCounts = ""

    private let parser: ResponseParser?
    private var type: String { parser?.type ?? "A client" }

    /// Compares live responses with recorded ones.
    ///
    /// Without a parser, the client is assumed to read every member.
    init(
        from recorded: [ComparedResponse], to live: [ComparedResponse],
        readBy parser: ResponseParser?, redirectedTo target: String? = nil
    ) {
        self.parser = parser
        guard let old = recorded.last, let new = live.last else { return }
        if let target { add(.warning, "The request is now redirected to \(target).") }
        compareHeads(recorded, new)
        guard !findings.contains(where: { $0.severity == .failure }) else { return }
        let (before, after) = (recorded.map(\.json), live.map(\.json))
        if Set(recorded.map(\.body)) == Set(live.map(\.body)) {
            comparesBodies = true
        } else if !before.contains(nil), !after.contains(nil) {
            compareTypes(old, new, .notice)
            compare(before.compactMap { $0 }, after.compactMap { $0 }, recorded, live)
        } else if before.contains(nil), after.contains(nil) {
            compareTypes(old, new, .failure)
            compareOutputs(of: recorded, live)
        } else {
            comparesBodies = true
            add(
                .failure,
                before.contains(nil)
                    ? "The body is now JSON, and was \(old.textOfBody)."
                    : "The body is now \(new.textOfBody), and was JSON.")
        }
    }

    private mutating func add(
        _ severity: Finding.Severity, _ text: String, at steps: [JSONStep] = []
    ) {
        findings.append(
            Finding(severity: severity, path: JSONStep.text(of: steps), text: text))
    }
}

extension ResponseChanges {
    private mutating func compareHeads(_ recorded: [ComparedResponse], _ live: ComparedResponse) {
        guard let old = recorded.last else { return }
        if !recorded.contains(where: { $0.status == live.status }) {
            let isOther = old.status / 100 != live.status / 100
            add(
                isOther ? .failure : .warning,
                "The status is now \(live.status), and was \(old.status).")
        }
        // RFC 9745 and RFC 8594 announce the end of a resource.
        for name in ["Deprecation", "Sunset"] {
            guard let value = live.field(name), value != old.field(name) else { continue }
            let link = live.field("Link").map { ", \($0)" } ?? ""
            add(.warning, "\(name): \(value)\(link)".shortened(to: 300))
        }
        let gone = old.fields.keys.filter { live.field($0) == nil }.sorted()
        // A large body takes long to parse again.
        guard let parser, !gone.isEmpty, old.body.count < 1 << 20,
            let output = parser.output(of: old)
        else { return }
        func isRead(_ names: [String]) -> Bool {
            var other = old
            for name in names { other.fields[name] = nil }
            return parser.output(of: other).map { output.differences(from: $0).isEmpty } != true
        }
        // What differs between two parses is no sign of a field that is read.
        guard isRead(gone), !isRead([]) else { return }
        for name in gone where isRead([name]) {
            add(.warning, "The header field \(name) is gone. \(type) reads it.")
        }
    }

    private mutating func compareTypes(
        _ old: ComparedResponse, _ new: ComparedResponse, _ severity: Finding.Severity
    ) {
        guard old.mediaType != new.mediaType, !old.body.isEmpty, !new.body.isEmpty else { return }
        let text = "The media type is now \(new.mediaType), and was \(old.mediaType)."
        add(severity, text)
        if severity == .notice { remarks.append(text) }
    }

    /// Compares the outputs of bodies that are no JSON.
    private mutating func compareOutputs(
        of recorded: [ComparedResponse], _ live: [ComparedResponse]
    ) {
        let before = recorded.compactMap { parser?.output(of: $0) }
        guard let parser, !before.isEmpty else { return }
        comparesBodies = true
        let after = live.compactMap { parser.output(of: $0) }
        guard after.count == live.count else {
            return add(.failure, "\(type) cannot parse the body, which is \(textOfBody(live)).")
        }
        let comparison = JSONComparison(
            from: before.map(\.withNullsForEmpty), to: after.map(\.withNullsForEmpty),
            nullIsGone: true, isMap: { _ in false })
        for change in comparison.changes where change.weight == .gone {
            let path = JSONStep.text(of: change.steps)
            let place = path.isEmpty ? "The output" : path
            add(.warning, "\(place) of \(type) is now nil or empty.", at: change.steps)
        }
    }

    private func textOfBody(_ live: [ComparedResponse]) -> String {
        live.first { parser?.output(of: $0) == nil }?.textOfBody ?? ""
    }

    private mutating func compare(
        _ old: [JSONValue], _ new: [JSONValue], _ recorded: [ComparedResponse],
        _ live: [ComparedResponse]
    ) {
        comparesBodies = true
        let uses = parser?.uses(in: recorded)
        let comparison = JSONComparison(from: old, to: new) { uses?.isMap($0) }
        if let counts = comparison.counts {
            let elements = counts.new == 1 ? "1 element" : "\(counts.new) elements"
            textOfCounts = ": compared \(elements) with \(counts.old)"
        }
        for path in comparison.emptyArrays {
            let place = path.isEmpty ? "The array" : "\(path):"
            remarks.append("\(place) empty, its elements were not compared.")
        }
        if uses?.isComplete == false {
            remarks.append(
                "The body is too large to ask \(type) for each member, so the rest counts as read.")
        }
        let outcomes = uses == nil ? [] : live.compactMap { parser?.outcome(of: $0) }
        if let uses {
            for case .refusal(let reason, let member) in outcomes {
                return explain(reason, member, by: comparison.changes, uses)
            }
        }
        let today = uses.flatMap { parser?.uses(in: live, since: $0) }
        for change in comparison.changes { judge(change, uses, today, recorded) }
        func isNil(_ outcome: ResponseParser.Outcome) -> Bool {
            if case .output(isNil: true) = outcome { true } else { false }
        }
        if let parser, !outcomes.isEmpty, outcomes.allSatisfy(isNil),
            !recorded.map(parser.outcome).contains(where: isNil)
        {
            add(.warning, "The output of \(type) is now nil.")
        }
    }

    /// Adds the failure of a body that the parser refuses, with the changes of the member that it names.
    private mutating func explain(
        _ reason: String, _ member: String?, by changes: [JSONComparison.Change],
        _ uses: MemberUses
    ) {
        func plain(_ name: String) -> String { name.lowercased().filter { $0 != "_" && $0 != "-" } }
        let causes = changes.filter { change in
            guard case .member(let name)? = change.steps.last(where: { $0 != .elements }) else {
                return false
            }
            // The error for a number of another kind can lack its place.
            return member.map { plain($0) == plain(name) }
                ?? (![.counted, .spelling].contains(change.weight)
                    && uses.use(of: change.steps) != .ignored)
        }
        for cause in causes {
            add(.failure, "\(cause.text). \(type) cannot parse the body.", at: cause.steps)
        }
        if causes.isEmpty { add(.failure, "\(type) cannot parse the body: \(reason)") }
        for change in changes where !causes.contains(where: { $0.steps == change.steps }) {
            let isRead = change.weight == .gone && uses.use(of: change.steps) != .ignored
            add(isRead ? .warning : .notice, "\(change.text).", at: change.steps)
        }
    }

    private mutating func judge(
        _ change: JSONComparison.Change, _ uses: MemberUses?, _ today: MemberUses?,
        _ recorded: [ComparedResponse]
    ) {
        let isRead = uses?.use(of: change.steps) != .ignored
        // A parser that reads the new value knows it.
        let isLost = today.map { $0.use(of: change.steps) == .ignored } ?? (uses == nil)
        let isNotable =
            switch change.weight {
            case .counted: false
            case .format, .kind: isRead && isLost
            case .spelling:
                isRead && isLost && parser?.readsValue(at: change.steps, in: recorded) == true
            case .gone: isRead
            }
        if change.weight == .spelling, !isNotable { return }
        let remark = isNotable && uses != nil ? " \(type) reads it." : ""
        add(isNotable ? .warning : .notice, "\(change.text).\(remark)", at: change.steps)
    }
}

extension JSONValue {
    /// The tree of an output with `null` in place of empty texts and arrays.
    fileprivate var withNullsForEmpty: Self {
        switch self {
        case .string(""), .array([]): .null
        case .array(let elements): .array(elements.map(\.withNullsForEmpty))
        case .object(let members): .object(members.mapValues(\.withNullsForEmpty))
        default: self
        }
    }
}
