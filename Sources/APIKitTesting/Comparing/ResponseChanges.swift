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
    /// Without a parser that can parse the recorded responses, the client is assumed to read every
    /// member.
    init(
        from recorded: [ComparedResponse], to live: [ComparedResponse],
        readBy parser: ResponseParser?, redirectedTo target: String? = nil
    ) {
        self.parser = parser
        guard let old = recorded.last, let new = live.last else { return }
        let probe = parser?.probe(of: recorded)
        if let target { add(.warning, "The request is now redirected to \(target).") }
        compareHeads(recorded, new, probe)
        guard !findings.contains(where: { $0.severity == .failure }) else { return }
        comparesBodies = true
        if Set(recorded.map(\.body)) == Set(live.map(\.body)) { return }
        let problems = [recorded, live].map { $0.first { $0.json == nil }?.problem }
        switch (problems[0], problems[1]) {
        case (nil, nil):
            compareTypes(old, new, .notice)
            compare(recorded, live, probe)
        case (.some, .some):
            compareTypes(old, new, .failure)
            comparesBodies = probe != nil
            compareOutputs(recorded, live, probe)
        case (let problem?, nil): add(.failure, "The body is now JSON. Before, \(problem).")
        case (nil, let problem?): add(.failure, "The body was JSON. Now \(problem).")
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
    private mutating func compareHeads(
        _ recorded: [ComparedResponse], _ live: ComparedResponse, _ probe: ParserProbe?
    ) {
        guard let old = recorded.last else { return }
        if !recorded.contains(where: { $0.status == live.status }) {
            let isOther = old.status / 100 != live.status / 100
            add(
                isOther ? .failure : .warning,
                "The status is now \(live.status), and was \(old.status).")
        }
        // RFC 9745 and RFC 8594 announce the end of a resource.
        for name in ["Deprecation", "Sunset"] {
            guard let value = live.fields[name.lowercased()], value != old.fields[name.lowercased()]
            else { continue }
            let link = live.fields["link"].map { ", \($0)" } ?? ""
            add(.warning, "\(name): \(value)\(link)".shortened(to: 300))
        }
        for name in old.fields.keys.sorted() where live.fields[name] == nil {
            guard probe?.reads(field: name) == true else { continue }
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

    private mutating func compare(
        _ recorded: [ComparedResponse], _ live: [ComparedResponse], _ probe: ParserProbe?
    ) {
        let comparison = JSONComparison(
            from: recorded.compactMap(\.json), to: live.compactMap(\.json)
        ) { probe?.isMap($0) }
        if let counts = comparison.counts {
            let elements = counts.new == 1 ? "1 element" : "\(counts.new) elements"
            textOfCounts = ": compared \(elements) with \(counts.old)"
        }
        for path in comparison.emptyArrays {
            let place = path.isEmpty ? "The array" : "\(path):"
            remarks.append("\(place) empty, its elements were not compared.")
        }
        compareOutputs(recorded, live, probe, comparison.changes)
        if probe?.isComplete == false {
            remarks.append(
                "The body is too large to ask \(type) for each member, so the rest counts as read.")
        }
    }

    /// Parses the live responses, and judges the changes of their JSON, or compares the outputs of
    /// another format.
    private mutating func compareOutputs(
        _ recorded: [ComparedResponse], _ live: [ComparedResponse], _ probe: ParserProbe?,
        _ changes: [JSONComparison.Change]? = nil
    ) {
        var refusal: String?
        if let parser, probe != nil {
            do {
                let now = try live.map { try parser.parse($0.response) }
                // Empty lists and texts are data, but another format has no members to compare.
                if changes == nil || now.allSatisfy({ Mirror(reflecting: $0).isNil }) {
                    let then = recorded.compactMap { try? parser.output(of: $0) }
                    for steps in Self.emptied(then, now.map { JSONValue(reflecting: $0) }) {
                        let path = JSONStep.text(of: steps)
                        let place = path.isEmpty ? "The output" : path
                        add(.warning, "\(place) of \(type) is now nil or empty.", at: steps)
                    }
                }
            } catch {
                refusal = APIError.text(of: error)
            }
        }
        lazy var today = parser?.probe(of: live)
        for change in changes ?? [] {
            if refusal != nil, probe?.use(of: change.steps, now: change.value) == .required {
                add(.failure, "\(change.text). \(type) cannot parse the body.", at: change.steps)
                continue
            }
            let isNotable =
                switch change.weight {
                case .counted: false
                case .gone: probe?.use(of: change.steps) != .ignored
                case .kind where probe == nil: true
                // A parser that reads the new value knows it.
                case .kind, .spelling:
                    probe?.readsValue(at: change.steps, orHasNone: false) == true
                        && today?.readsValue(at: change.steps, orHasNone: true) == false
                }
            if change.weight == .spelling, !isNotable { continue }
            let remark = isNotable && probe != nil ? " \(type) reads it." : ""
            add(isNotable ? .warning : .notice, "\(change.text).\(remark)", at: change.steps)
        }
        if let refusal, !findings.contains(where: { $0.severity == .failure }) {
            add(.failure, "\(type) cannot parse the body: \(refusal)")
        }
    }

    /// Returns the steps to what is empty today, and had a value in each recorded output.
    private static func emptied(
        _ then: [JSONValue], _ now: [JSONValue], at steps: [JSONStep] = []
    ) -> [[JSONStep]] {
        let empty: [JSONValue] = [.null, "", []]
        guard !then.isEmpty, !now.isEmpty, !then.contains(where: empty.contains) else { return [] }
        if now.allSatisfy(empty.contains) { return [steps] }
        let after = now.compactMap(\.members).merged
        return emptied(
            Array(then.compactMap(\.elements).joined()), Array(now.compactMap(\.elements).joined()),
            at: steps + [.elements])
            + then.compactMap(\.members).merged.sorted { $0.key < $1.key }.flatMap {
                emptied($0.value, after[$0.key] ?? [], at: steps + [.member($0.key)])
            }
    }
}

extension Mirror {
    fileprivate var isNil: Bool { displayStyle == .optional && children.isEmpty }
}
