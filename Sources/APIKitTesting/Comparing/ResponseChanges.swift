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
    /// Whether the bodies were compared, and not only the heads.
    private(set) var comparesBodies = false
    /// The numbers of elements, if the bodies are arrays.
    private(set) var textOfCounts = ""
    /// The notices about the whole response.
    var remarks: [String] {
        findings.filter { $0.severity == .notice && $0.path.isEmpty }.map(\.text)
    }

    /// Compares live responses with recorded ones.
    ///
    /// Without a parser that can parse the recorded responses, the client is assumed to read every
    /// member.
    init(
        from recorded: [ComparedResponse], to live: [ComparedResponse],
        readBy parser: ResponseParser?, redirectedTo target: String? = nil
    ) {
        guard let old = recorded.last, let new = live.last else { return }
        lazy var probe = parser?.probe(of: recorded)
        if let target { add(.warning, "The request is now redirected to \(target).") }
        if !recorded.contains(where: { $0.status == new.status }) {
            let isOther = old.status / 100 != new.status / 100
            add(
                isOther ? .failure : .warning,
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
        guard !findings.contains(where: { $0.severity == .failure }) else { return }
        let isJSON = [recorded, live].map { $0.allSatisfy { $0.json != nil } }
        let isEqual = Set(recorded.map(\.body)) == Set(live.map(\.body))
        comparesBodies = isEqual || isJSON.contains(true) || probe != nil
        if isEqual { return }
        if isJSON[0] != isJSON[1] {
            let texts = zip([recorded, live], isJSON).map { responses, isJSON in
                isJSON ? "JSON" : responses.first { $0.json == nil }?.textOfBody ?? ""
            }
            add(.failure, "The body is now \(texts[1]), and was \(texts[0]).")
            return
        }
        if old.mediaType != new.mediaType, !old.body.isEmpty, !new.body.isEmpty {
            let text = "The media type is now \(new.mediaType), and was \(old.mediaType)."
            add(isJSON[0] ? .notice : .failure, text)
        }
        let changes = isJSON[0] ? changes(recorded, live, probe) : []
        let refusal = probe.flatMap { compareOutputs(recorded, live, $0, isJSON: isJSON[0]) }
        lazy var today = parser?.probe(of: live)
        for change in changes { judge(change, probe, refusal == nil ? today : nil) }
        if let probe, let refusal, !findings.contains(where: { $0.severity == .failure }) {
            add(.failure, "\(probe.parser.type) cannot parse the body: \(refusal)")
        }
        if probe?.isComplete == false {
            add(
                .notice, "The body is too large to ask for each member, so the rest counts as read."
            )
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
    private mutating func changes(
        _ recorded: [ComparedResponse], _ live: [ComparedResponse], _ probe: ParserProbe?
    ) -> [JSONComparison.Change] {
        let (before, after) = (recorded.compactMap(\.json), live.compactMap(\.json))
        let counts = [before, after].map { $0.compactMap(\.elements) }
        if !counts.contains([]) {
            let (old, new) = (counts[0].joined().count, counts[1].joined().count)
            textOfCounts = ": compared \(new) element\(new == 1 ? "" : "s") with \(old)"
        }
        let comparison = JSONComparison(from: before, to: after) { probe?.isMap($0) }
        for path in comparison.emptyArrays {
            let place = path.isEmpty ? "The array" : "\(path):"
            add(.notice, "\(place) empty, its elements were not compared.")
        }
        return comparison.changes
    }

    /// Adds what is empty in the outputs of today.
    ///
    /// - Returns: Why the parser refuses a body, or `nil`.
    private mutating func compareOutputs(
        _ recorded: [ComparedResponse], _ live: [ComparedResponse], _ probe: ParserProbe,
        isJSON: Bool
    ) -> String? {
        do {
            let now = try live.map { try probe.parser.parse($0.response) }
            // Empty lists and texts are data, but another format has no members to compare.
            guard !isJSON || now.allSatisfy({ Mirror(reflecting: $0).isNil }) else { return nil }
            let then = recorded.compactMap { try? probe.parser.output(of: $0) }
            for steps in Self.emptied(then, now.map { JSONValue(reflecting: $0) }) {
                let place = steps.isEmpty ? "The output" : JSONStep.text(of: steps)
                add(.warning, "\(place) of \(probe.parser.type) is now nil or empty.", at: steps)
            }
            return nil
        } catch {
            return APIError.text(of: error)
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

    /// Adds a change.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - probe: The probe of the recorded responses, or `nil` for a client that reads everything.
    ///   - today: The probe of the live responses, or `nil` if the parser refuses one.
    private mutating func judge(
        _ change: JSONComparison.Change, _ probe: ParserProbe?, _ today: ParserProbe?
    ) {
        func isRead(_ probe: ParserProbe) -> Bool {
            probe.use(of: change.steps, changing: \.ofAnotherValue) != .ignored
        }
        // The parser refuses the recorded body with the value of today.
        if let probe, today == nil,
            probe.use(of: change.steps, changing: { _ in change.value }) == .required
        {
            let text = "\(change.text). \(probe.parser.type) cannot parse the body."
            return add(.failure, text, at: change.steps)
        }
        let isNotable =
            switch change.weight {
            case .counted, .new: false
            case .gone: probe?.use(of: change.steps) != .ignored
            case .spelling, .format, .kind:
                // A parser that reads the value of today knows it. For an empty value, it does not show.
                if let probe, let today {
                    change.value != change.value?.ofAnotherValue && isRead(probe) && !isRead(today)
                } else {
                    probe == nil && change.weight != .spelling
                }
            }
        if change.weight == .spelling, !isNotable { return }
        let remark = isNotable ? probe.map { " \($0.parser.type) reads it." } ?? "" : ""
        add(isNotable ? .warning : .notice, "\(change.text).\(remark)", at: change.steps)
    }
}

extension Mirror {
    fileprivate var isNil: Bool { displayStyle == .optional && children.isEmpty }
}
