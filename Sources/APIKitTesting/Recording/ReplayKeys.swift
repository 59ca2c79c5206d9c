import APIKit
import Foundation

/// The requests of a recording as they are compared: without what the cassette ignores, and with a
/// mask at each place of a secret.
///
/// A secret of the recording has a placeholder, and the test sends another value. So both sides have
/// a mask where the rule of the cassette finds a secret, and where any entry has a placeholder.
struct ReplayKeys: Sendable {
    struct Key: Hashable, Sendable {
        fileprivate(set) var form: RequestForm
        /// The placeholders by their places.
        ///
        /// The code under test has most of its secrets from responses, so it sends them back.
        fileprivate(set) var placeholders: [ExactText: [String]] = [:]

        /// Returns whether a request has no other placeholder at a place of this one.
        func agrees(with other: Key) -> Bool {
            placeholders.allSatisfy { other.placeholders[$0] ?? $1 == $1 }
        }
    }

    let placeholders: ByteStrings
    private let matching: Matching
    private let redaction: Redaction
    /// The names whose value is a secret in an entry.
    private var secretNames: Set<ExactText> = []
    /// The paths with a secret, and the paths without one, which take precedence.
    private var templates: [PathTemplate] = []
    private var plainPaths: Set<[RequestForm.Value]> = []

    private static let mask = RequestForm.Value.text(ExactText(Redaction.mask))

    init(of entries: [HAREntry], _ placeholders: [String], for cassette: Cassette) {
        self.placeholders = ByteStrings(placeholders: placeholders)
        (matching, redaction) = (cassette.matching, cassette.redaction)
        var paths: Set<[String]> = []
        for entry in entries {
            guard let request = entry.request.recorded else { continue }
            let form = matching.form(of: request, hasBody: entry.request.hasBody)
            for (name, values) in form.values where name != "path" {
                if values.contains(where: { masked($0, name.string) == Self.mask }) {
                    secretNames.insert(name)
                }
            }
            let path = form.values["path"] ?? []
            let segments = path.map { masked($0, "path") == $0 ? $0.text : "*" }
            if segments == path.map(\.text) {
                plainPaths.insert(path)
            } else if paths.insert(segments).inserted {
                templates.append(PathTemplate(recorded: segments))
            }
        }
    }

    /// Returns the key of a request, which is equal for requests that differ only in secrets.
    func key(of request: RecordedRequest, hasBody: Bool = true) -> Key {
        var form = matching.form(of: request, hasBody: hasBody)
        let found = placeholders.isEmpty ? [:] : placeholders(in: request, form)
        for (name, values) in form.values where name != "path" {
            form.values[name] = values.map {
                secretNames.contains(name) ? Self.mask : masked($0, name.string)
            }
        }
        if let path = form.values["path"], !plainPaths.contains(path) {
            form.values["path"] = RequestForm.path(path.map(\.text), ignoring: templates)
        }
        return Key(form: form, placeholders: found)
    }

    /// Returns a value with a mask in place of the secrets and placeholders in it.
    private func masked(_ value: RequestForm.Value, _ name: String) -> RequestForm.Value {
        guard value.isText, !value.isContainer else { return value }
        let text = placeholders.replacing(in: value.text, with: Redaction.mask)
        let (section, rest) = name.split(at: ".")
        func mask(_ secret: String, _ name: String) -> String { Redaction.mask }
        let masked =
            if rest.isEmpty {
                redaction.replacingSecrets(in: text, with: mask)
            } else if section == "header" {
                redaction.replacingSecrets(inHeader: String(rest), text, with: mask)
            } else {
                redaction.replacingSecrets(
                    in: text, named: RequestForm.lastName(of: name), with: mask)
            }
        return ExactText(masked) == ExactText(value.text) ? value : .text(ExactText(masked))
    }

    private func placeholders(
        in request: RecordedRequest, _ form: RequestForm
    ) -> [ExactText: [String]] {
        var found = form.values.mapValues { $0.flatMap { placeholders.values(in: $0.text) } }
        // A cookie can have expired since the recording, so compare each by its name.
        let fields =
            request.headers.map { ($0.lowercased(), $0.lowercased(), $1) }
            + request.cookies.map { ("cookie", "cookie.\($0)", $1) }
        for (field, name, value) in fields where !matching.ignoredHeaders.contains(field) {
            let name = name == field ? "header.\(name)" : name
            found[ExactText(name)] = placeholders.values(in: value)
        }
        found["header.cookie"] = nil
        return found.filter { !$0.value.isEmpty }
    }
}

extension ReplayKeys {
    /// Returns the pattern for the requests with the key of a recorded one, for failures.
    func pattern(_ key: Key, of request: RecordedRequest, hasBody: Bool) -> RequestPattern {
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
                    self.key(of: $0.request, hasBody: hasBody).form.withoutTarget
                }))
        if !key.placeholders.isEmpty { nodes.append(.condition(condition(on: key))) }
        return RequestPattern(nodes)
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
