import APIKit
import Foundation

/// The compared form of a recording's requests.
///
/// It lacks what the cassette ignores, and has a mask in
/// place of each secret.
///
/// A secret of the recording has a placeholder, and the test sends another value. So both sides have
/// a mask where the rule of the cassette finds a secret, and where any entry has a placeholder.
struct ReplayKeys: Sendable {
    struct Key: Hashable, Sendable {
        let form: RequestForm
        let hasBody: Bool
        /// The placeholders by their places.
        ///
        /// The code under test has most of its secrets from responses, so it sends them back.
        var placeholders = RequestForm()

        var withoutPlaceholders: Key { Key(form: form, hasBody: hasBody) }

        /// Returns whether a request has no other placeholder at a place of this one.
        func agrees(with other: Key) -> Bool { placeholders == placeholders(of: other) }

        /// Returns the placeholders of a request at the places of this one, or else those of this one.
        fileprivate func placeholders(of other: Key) -> RequestForm {
            let same = other.placeholders.values.filter { placeholders.values[$0.key] != nil }
            return RequestForm(values: placeholders.values.merging(same) { $1 })
        }
    }

    private let placeholders: ByteStrings
    private let cassette: Cassette
    /// The names whose value is a secret in an entry.
    private var secretNames: Set<ExactText> = []
    private var paths: Set<[RequestForm.Value]> = []
    /// The paths with a mask, which is any segment, in the order of the file.
    private var maskedPaths: [[RequestForm.Value]] = []

    static let mask = RequestForm.Value.text(ExactText(Redaction.mask))

    init(of entries: [HAREntry], _ placeholders: [String], for cassette: Cassette) {
        self.placeholders = ByteStrings(placeholders: placeholders)
        self.cassette = cassette
        for entry in entries {
            let values = maskedForm(of: entry.request).values
            secretNames.formUnion(values.filter { $0.value.contains(Self.mask) }.keys)
            guard let path = values["path"], paths.insert(path).inserted else { continue }
            if path.contains(Self.mask) { maskedPaths.append(path) }
        }
        secretNames.remove("path")
    }

    /// Returns the key of a request, which is equal for requests that differ only in secrets.
    func key(of request: HAREntry.Request) -> Key {
        var form = maskedForm(of: request)
        for name in form.values.keys where secretNames.contains(name) {
            form.values[name] = form.values[name]?.map { _ in Self.mask }
        }
        if let path = form.values["path"], !paths.contains(path) {
            form.values["path"] = maskedPaths.first(where: path.matches) ?? path
        }
        return Key(
            form: form, hasBody: request.hasBody,
            placeholders: placeholders.isEmpty ? RequestForm() : sentPlaceholders(in: request))
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
        form.values["path"] = form.values["path"]?.map {
            $0.text.contains(Redaction.mask) ? Self.mask : $0
        }
        return form
    }

    private func form(of request: HAREntry.Request) -> RequestForm {
        request.recorded.map { cassette.matching.form(of: $0, hasBody: request.hasBody) }
            ?? RequestForm()
    }

    private func sentPlaceholders(in request: HAREntry.Request) -> RequestForm {
        var found = RequestForm()
        /// Adds the placeholders in a text under a name without a dot, which is no secret.
        func add(_ place: String, _ text: String) {
            for placeholder in placeholders.values(in: text) {
                found.add("placeholder in \(place.replacing(".", with: " "))", placeholder)
            }
        }
        for (name, values) in form(of: request).values where name != "header.cookie" {
            for value in values { add(name.string, value.text) }
        }
        for field in request.headers {
            let name = field.name.lowercased()
            guard name == "cookie" else { add("header \(name)", field.value); continue }
            // A cookie can have expired since the recording, so compare each by its name.
            for cookie in field.value.components(separatedBy: "; ") {
                add("cookie \(cookie.split(at: "=").0)", cookie)
            }
        }
        return found
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
            let segments = path.map { value -> PathTemplate.Segment in
                value == Self.mask ? .any : .literal(ExactText(value.text))
            }
            nodes.append(
                .path(PathTemplate(segments, text: label, expectation: request.shownPath)))
        }
        let rest = key.form.withoutTarget
        nodes.append(
            .condition(
                Condition(label: path == nil ? label : "", equals: rest) {
                    self.key(of: $0.request, hasBody: key.hasBody).form.withoutTarget
                }))
        if !key.placeholders.values.isEmpty {
            let condition = Condition(label: "", equals: key.placeholders) {
                key.placeholders(of: self.key(of: $0.request))
            }
            nodes.append(.condition(condition))
        }
        return RequestPattern(nodes)
    }
}

extension [RequestForm.Value] {
    /// Returns whether a path is one of a recording.
    fileprivate func matches(_ recorded: Self) -> Bool {
        count == recorded.count
            && zip(self, recorded).allSatisfy { $1 == ReplayKeys.mask || $0 == $1 }
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
