import APIKit
import Foundation

/// The requests of a recording as they are compared: as the file would have them, without what the
/// cassette ignores, and with a mask at each place of a secret.
///
/// A secret of the recording has a placeholder, and the test sends another value. So both sides have
/// a mask where the rule of the cassette finds a secret, and where any entry has a placeholder.
struct ReplayKeys: Sendable {
    struct Key: Hashable, Sendable {
        fileprivate(set) var form: RequestForm
        let hasBody: Bool
        /// The placeholders by their places.
        ///
        /// The code under test has most of its secrets from responses, so it sends them back.
        fileprivate(set) var placeholders: [ExactText: [String]] = [:]

        var withoutPlaceholders: Key { Key(form: form, hasBody: hasBody) }

        /// Returns whether a request has no other placeholder at a place of this one.
        func agrees(with other: Key) -> Bool {
            placeholders.allSatisfy { other.placeholders[$0] ?? $1 == $1 }
        }
    }

    private let placeholders: ByteStrings
    private let cassette: Cassette
    /// The names whose value is a secret in an entry.
    private var secretNames: Set<ExactText> = []
    /// The paths with a secret, and the paths without one, which take precedence.
    private var templates: [PathTemplate] = []
    private var plainPaths: Set<[RequestForm.Value]> = []

    private static let mask = RequestForm.Value.text(ExactText(Redaction.mask))

    init(of entries: [HAREntry], _ placeholders: [String], for cassette: Cassette) {
        self.placeholders = ByteStrings(placeholders: placeholders)
        self.cassette = cassette
        for entry in entries {
            let values = maskedForm(of: entry.request).values
            secretNames.formUnion(values.filter { $0.value.contains(Self.mask) }.keys)
            guard let path = values["path"] else { continue }
            if path.contains(where: { $0.text.contains(Redaction.mask) }) {
                let segments = path.map { $0.text.contains(Redaction.mask) ? "*" : $0.text }
                templates.append(PathTemplate(recorded: segments))
            } else {
                plainPaths.insert(path)
            }
        }
        secretNames.remove("path")
    }

    /// Returns the key of a request, which is equal for requests that differ only in secrets.
    func key(of request: HAREntry.Request) -> Key {
        var form = maskedForm(of: request)
        for name in form.values.keys where secretNames.contains(name) {
            form.values[name] = form.values[name]?.map { _ in Self.mask }
        }
        if let path = form.values["path"], !plainPaths.contains(path) {
            form.values["path"] = RequestForm.path(path.map(\.text), ignoring: templates)
        }
        return Key(
            form: form, hasBody: request.hasBody,
            placeholders: placeholders.isEmpty ? [:] : sentPlaceholders(in: request))
    }

    func key(of request: RecordedRequest, hasBody: Bool = true) -> Key {
        var request = HAREntry.Request(request)
        request.hasBody = hasBody
        return key(of: request)
    }

    private func maskedForm(of request: HAREntry.Request) -> RequestForm {
        let masked = request.normalized.redacted(by: cassette.redaction) { _, _ in Redaction.mask }
        var form = form(of: masked)
        form.values = form.values.mapValues { values in
            values.map { value in
                guard case .text(let text) = value else { return value }
                let masked = placeholders.replacing(in: text.string, with: Redaction.mask)
                return .text(ExactText(masked))
            }
        }
        return form
    }

    private func form(of request: HAREntry.Request) -> RequestForm {
        request.recorded.map { cassette.matching.form(of: $0, hasBody: request.hasBody) }
            ?? RequestForm()
    }

    private func sentPlaceholders(in request: HAREntry.Request) -> [ExactText: [String]] {
        var found = form(of: request).values.mapValues {
            $0.flatMap { placeholders.values(in: $0.text) }
        }
        for field in request.headers {
            let name = field.name.lowercased()
            guard !cassette.matching.ignoredHeaders.contains(name) else { continue }
            // A cookie can have expired since the recording, so compare each by its name.
            for part in name == "cookie" ? field.value.components(separatedBy: "; ") : [field.value]
            {
                let cookie = name == "cookie" ? ".\(part.split(at: "=").0)" : ""
                found[ExactText("header.\(name)\(cookie)")] = placeholders.values(in: part)
            }
        }
        return found.filter { !$0.value.isEmpty }
    }
}

extension ReplayKeys {
    /// Returns the pattern for the requests with the key of a recorded one, for failures.
    func pattern(_ key: Key, of request: RecordedRequest) -> RequestPattern {
        let url = Redaction.text(of: request.url)
        let start = url.firstRange(of: "://").map { url[$0.upperBound...].drop { $0 != "/" } }
        let label = start.map { $0.isEmpty ? "/" : String($0) } ?? url
        var nodes: [RequestPattern.Node] = []
        if key.form.values["method"] != nil { nodes.append(.method(request.method)) }
        let path = key.form.values["path"]
        if let path {
            nodes.append(
                .path(
                    PathTemplate(
                        recorded: path.map(\.text), text: label, expectation: request.shownPath)))
        }
        let rest = key.form.withoutTarget
        nodes.append(
            .condition(
                Condition(label: path == nil ? label : "", equals: rest) {
                    self.key(of: $0.request, hasBody: key.hasBody).form.withoutTarget
                }))
        if !key.placeholders.isEmpty { nodes.append(.condition(condition(on: key))) }
        return RequestPattern(.all(nodes))
    }

    /// Returns the condition that a request has no other placeholders than an entry.
    private func condition(on key: Key) -> Condition {
        Condition(label: "") {
            key.agrees(with: self.key(of: $0.request))
        } addDifferences: { request, list in
            let other = self.key(of: request.request).placeholders
            for (name, texts) in key.placeholders.sorted(by: { $0.key < $1.key }) {
                guard let got = other[name], got != texts else { continue }
                list.addDifference(
                    name.string, expected: texts.joined(separator: ", "),
                    got: got.joined(separator: ", "),
                    remark: ", which are placeholders of different secrets")
            }
        }
    }
}

extension PathTemplate {
    /// Creates the template of a compared path, in which `*` is any segment.
    fileprivate init(recorded segments: [String], text: String = "", expectation: String = "") {
        self.init(
            segments.map { $0 == "*" ? .any : .literal(ExactText($0)) }, text: text,
            expectation: expectation)
    }
}

extension RequestForm {
    /// The form without the method and the path.
    fileprivate var withoutTarget: RequestForm {
        var form = self
        (form.values["method"], form.values["path"]) = (nil, nil)
        return form
    }
}
