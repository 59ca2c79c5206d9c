import APIKit
import Foundation

/// The compared form of a recording's requests.
///
/// It lacks what the cassette ignores, and has a mask in place of each secret.
///
/// A secret of the recording has a placeholder, and the test sends another value. So both sides have
/// a mask where the rule of the cassette finds a secret, and where any entry has a placeholder.
struct ReplayKeys: Sendable {
    struct Key: Hashable, Sendable {
        let form: RequestForm
        /// The placeholders by their places.
        ///
        /// The code under test has most of its secrets from responses, so it sends them back.
        let placeholders: RequestForm

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
            form.values["path"] =
                maskedPaths.first { recorded in
                    recorded.count == path.count
                        && zip(recorded, path).allSatisfy { $0 == Self.mask || $0 == $1 }
                } ?? path
        }
        return Key(
            form: form,
            placeholders: placeholders.isEmpty ? RequestForm() : sentPlaceholders(in: request))
    }

    private func maskedForm(of request: HAREntry.Request) -> RequestForm {
        var masked = request.normalized
        masked.redact(by: cassette.redaction) { _, _ in Redaction.mask }
        var form = form(of: masked)
        form.values = form.values.mapValues { values in
            values.map { value in
                guard case .text(let text) = value else { return value }
                return .text(ExactText(placeholders.replacing(in: text.string)))
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

    /// Returns the placeholders by names without a dot, which are no secrets.
    private func sentPlaceholders(in request: HAREntry.Request) -> RequestForm {
        var form = form(of: request)
        for field in request.headers {
            form.values[ExactText("header.\(field.name.lowercased())")] = [
                .text(ExactText(field.value))
            ]
        }
        // A cookie can have expired since the recording, so compare each by its name.
        form.values["header.cookie"] = nil
        form.formUnion(RequestForm("cookie", request.recorded?.cookieItems ?? []))
        var found = RequestForm()
        for (name, values) in form.values {
            for text in values.flatMap({ placeholders.texts(in: $0.text) }) {
                found.add("placeholder in \(name.string.replacing(".", with: " "))", text)
            }
        }
        return found
    }
}

extension ReplayKeys {
    /// Returns the pattern for the requests with the key of a recorded one, for failures.
    func pattern(_ key: Key, of request: RecordedRequest) -> RequestPattern {
        let label = String(request.target.split(at: " ").1)
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
        @Sendable func rest(of other: Key) -> RequestForm {
            var rest = other.form.filter { $0 != "method" && $0 != "path" }
            rest.formUnion(key.placeholders(of: other))
            return rest
        }
        let hasBody = key.form.values["body"] != Matching.unknownBody
        nodes.append(
            .condition(
                Condition(label: path == nil ? label : "", equals: rest(of: key)) {
                    rest(of: self.key(of: .init($0.request, hasBody: hasBody)))
                }))
        return RequestPattern(nodes)
    }
}
