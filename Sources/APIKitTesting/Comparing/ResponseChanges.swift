import APIKit
import Foundation

/// How live responses differ from recorded ones to equal requests, judged by what the client reads.
///
/// Values are not compared. A response that the client refuses is a failure. A change of a member that
/// the client reads is a warning, because the client works with it, but differently. Any other change
/// is only counted.
struct ResponseChanges {
    /// A change, or why something was not compared, without secrets.
    struct Finding: Equatable {
        enum Severity { case failure, warning, notice }

        let severity: Severity
        /// The path of the member, or nothing for the whole response.
        let path: String
        let text: String
    }

    private(set) var findings: [Finding] = []
    /// Whether the bodies were compared, and not only the heads.
    private(set) var comparesBodies = false
    /// The numbers of elements, if the bodies are arrays.
    private(set) var textOfCounts = ""
    private let (recorded, live): ([ComparedResponse], [ComparedResponse])
    private let parser: ResponseParser?
    /// The probe of the recorded responses, or `nil` for a client that counts as reading everything.
    private lazy var probe = parser?.probe(of: recorded)
    /// The probe of the live responses, or `nil` if the parser refuses one.
    private lazy var today = parser?.probe(of: live)
    /// Why the parser refuses a live response, or `nil`.
    private var refusal: String?

    /// Compares live responses with recorded ones.
    ///
    /// Without a parser that can parse the recorded responses, the client is assumed to read every
    /// member.
    init(
        from recorded: [ComparedResponse], to live: [ComparedResponse],
        readBy parser: ResponseParser?, redirectedTo target: String? = nil
    ) {
        (self.recorded, self.live, self.parser) = (recorded, live, parser)
        guard let old = recorded.last, let new = live.last else { return }
        if let target { add(.warning, "The request is now redirected to \(target).") }
        compareHeads(old, new)
        guard !hasFailed else { return }
        let isEqual = Set(recorded.map(\.body)) == Set(live.map(\.body))
        comparesBodies = isEqual || isJSON(recorded) || isJSON(live) || probe != nil
        if !isEqual { compareBodies(old, new) }
    }

    /// The notices about the whole response.
    var remarks: [String] {
        findings.filter { $0.severity == .notice && $0.path.isEmpty }.map(\.text)
    }

    private func isJSON(_ responses: [ComparedResponse]) -> Bool {
        responses.allSatisfy { $0.json != nil }
    }

    private var hasFailed: Bool { findings.contains { $0.severity == .failure } }

    private mutating func add(
        _ severity: Finding.Severity, _ text: String, at steps: [JSONStep] = []
    ) {
        let masked = [JSONStep.path(of: steps), text].map { Redaction.secrets.masked($0) }
        findings.append(Finding(severity: severity, path: masked[0], text: masked[1]))
    }
}

extension ResponseChanges {
    private mutating func compareHeads(_ old: ComparedResponse, _ new: ComparedResponse) {
        if !recorded.contains(where: { $0.status == new.status }) {
            add(
                old.status / 100 == new.status / 100 ? .warning : .failure,
                "The status is now \(new.status), and was \(old.status).")
        }
        // RFC 9745 and RFC 8594 announce the end of a resource.
        for name in ["Deprecation", "Sunset"] {
            guard let value = new.fields[name.lowercased()], value != old.fields[name.lowercased()]
            else { continue }
            let link = new.fields["link"].map { ", \($0)" } ?? ""
            add(.warning, "\(name): \(value)\(link)".shortened(to: 300))
        }
        for name in old.fields.keys.sorted() where new.fields[name] == nil {
            guard let probe, probe.reads(field: name) else { continue }
            add(.warning, "The header field \(name) is gone. \(probe.parser.type) reads it.")
        }
    }

    private mutating func compareBodies(_ old: ComparedResponse, _ new: ComparedResponse) {
        func text(_ responses: [ComparedResponse]) -> String {
            responses.first { $0.json == nil }?.textOfBody ?? "JSON"
        }
        let isJSON = isJSON(recorded)
        guard isJSON == self.isJSON(live) else {
            return add(
                .failure, "The body is now \(text(live)), and was \(text(recorded)).")
        }
        if old.mediaType != new.mediaType, !old.body.isEmpty, !new.body.isEmpty {
            add(
                isJSON ? .notice : .failure,
                "The media type is now \(new.mediaType), and was \(old.mediaType).")
        }
        compareOutputs(isJSON: isJSON)
        if isJSON {
            let (before, after) = (recorded.compactMap(\.json), live.compactMap(\.json))
            if let then = before.children[.elements], let now = after.children[.elements] {
                let elements = now.count == 1 ? "element" : "elements"
                textOfCounts = ": compared \(now.count) \(elements) with \(then.count)"
            }
            let probe = probe
            let comparison = JSONComparison(from: before, to: after) { probe?.isMap($0) }
            for change in comparison.changes { judge(change) }
        }
        guard let probe else { return }
        if let refusal, !hasFailed {
            add(.failure, "\(probe.parser.type) cannot parse the body: \(refusal)")
        }
        if !probe.isComplete {
            add(
                .notice, "The body is too large to ask for each member, so the rest counts as read."
            )
        }
    }

    /// Adds what is empty in the outputs of today, or remembers why the parser refuses one.
    private mutating func compareOutputs(isJSON: Bool) {
        guard let probe else { return }
        do {
            let now = try live.map { try probe.parser.output(of: $0) }
            // Empty lists and texts are data, but another format has no members to compare.
            guard !isJSON || Set(now) == [.null] else { return }
            let then = recorded.compactMap { try? probe.parser.output(of: $0) }
            for steps in Self.emptied(then, now) {
                let place = steps.isEmpty ? "The output" : JSONStep.path(of: steps)
                add(.warning, "\(place) of \(probe.parser.type) is now nil or empty.", at: steps)
            }
        } catch {
            refusal = APIError.clause(for: error)
        }
    }

    /// Returns the steps to what is empty today, and had a value in each recorded output.
    private static func emptied(
        _ then: [JSONValue], _ now: [JSONValue], at steps: [JSONStep] = []
    ) -> [[JSONStep]] {
        let empty: [JSONValue] = [.null, "", []]
        guard !then.isEmpty, !now.isEmpty, !then.contains(where: empty.contains) else { return [] }
        if now.allSatisfy(empty.contains) { return [steps] }
        let after = now.children
        return then.children.flatMap {
            emptied($0.value, after[$0.key] ?? [], at: steps + [$0.key])
        }
    }

    private mutating func judge(_ change: JSONComparison.Change) {
        let (text, steps) = ("\(change.text).", change.steps)
        if change.weight == .empty {
            add(.notice, text)
        } else if let probe, refusal != nil,
            probe.use(of: steps, changing: { _ in change.value }) == .required
        {
            // The parser refuses the recorded body with the value of today.
            add(.failure, "\(text) \(probe.parser.type) cannot parse the body.", at: steps)
        } else if isNotable(change) {
            add(.warning, text + (probe.map { " \($0.parser.type) reads it." } ?? ""), at: steps)
        } else if change.weight != .spelling {
            add(.notice, text, at: steps)
        }
    }

    /// Returns whether the client reads what has changed.
    private mutating func isNotable(_ change: JSONComparison.Change) -> Bool {
        func isRead(_ probe: ParserProbe) -> Bool {
            probe.use(of: change.steps, changing: \.ofAnotherValue) != .ignored
        }
        switch change.weight {
        case .counted, .new, .empty: return false
        case .gone: return probe?.use(of: change.steps) != .ignored
        case .spelling, .format, .kind:
            guard let probe else { return change.weight != .spelling }
            // A parser that reads the value of today knows it. For an empty value, it does not show.
            guard let today, let value = change.value, value != value.ofAnotherValue else {
                return false
            }
            let isHidden =
                isRead(probe) && probe.hides(value, at: change.steps) && !isRead(today)
            return probe.isComplete ? isHidden : change.weight != .spelling
        }
    }
}
