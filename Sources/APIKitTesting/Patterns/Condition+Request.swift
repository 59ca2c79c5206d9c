import APIKit
import Foundation

extension Condition {
    /// Creates a condition on the scheme, host and port, which must equal a URL's.
    init(originOf url: URL) {
        let (origin, text) = (Origin(url), Condition.text(ofOrigin: url))
        // No label, because the text of the path already contains the origin.
        self.init(label: "") {
            Origin($0.url) == origin
        } addDifferences: { request, list in
            list.addDifference(
                "origin", expected: text, got: Condition.text(ofOrigin: request.url))
        }
    }

    /// Creates a condition on the body, compared by meaning with the body of a request.
    ///
    /// - Parameters:
    ///   - expected: The request.
    ///   - placeholders: The placeholders in its body.
    ///   - ignored: The names of members, fields and parts that do not matter.
    init(
        bodyOf expected: RecordedRequest, _ placeholders: PlaceholderSet = .none,
        ignoring ignored: Set<String> = []
    ) {
        switch expected.bodyForm {
        case .form:
            let items = expected.form.removing(ignored)
            self.init(
                "form", label: "form \(Condition.text(items))", exactly: items, placeholders,
                items: { $0.form.removing(ignored) })
        case .multipart:
            self.init(parts: expected.parts.filter { !ignored.contains($0.name) }, placeholders) {
                $0.parts.filter { !ignored.contains($0.name) }
            }
        case .json(let json):
            self.init(json: json, placeholders, ignoring: ignored)
        case .none, .bytes, .compressed:
            self.init(textOrBytesOf: expected, placeholders)
        }
    }

    private init(textOrBytesOf expected: RecordedRequest, _ placeholders: PlaceholderSet) {
        let shown = expected.shownBody
        let text = expected.text.map { RecordedText($0, placeholders) }
        self.init(label: shown.map { "body \($0)" } ?? "") { request in
            guard let text, text.isOpen else { return request.body == expected.body ? [:] : nil }
            var values: [String: String] = [:]
            return request.text.map { text.addValues(in: $0, to: &values) } == true ? values : nil
        } addDifferences: { request, list in
            let coding = request.contentCoding.map { " (\($0), compared by bytes)" }
            list.addDifference(
                "body", expected: shown ?? "none", got: request.shownBody ?? "none",
                remark: shown == nil ? " (for an upload, pass its body as from:)" : coding)
        }
    }

    /// Creates a condition on the parts of a multipart body, in their order.
    private init(
        parts expected: [RecordedRequest.Part], _ placeholders: PlaceholderSet,
        of parts: @escaping @Sendable (RecordedRequest) -> [RecordedRequest.Part]
    ) {
        let text = expected.map(\.shown).joined(separator: "; ")
        @Sendable func isMatch(
            _ expected: RecordedRequest.Part, _ got: RecordedRequest.Part,
            _ values: inout [String: String]
        ) -> Bool {
            expected == got
                || expected.label == got.label
                    && placeholders.match(expected.text, got.text, &values)
        }
        self.init(label: "parts \(text)") { request in
            let got = parts(request)
            var values: [String: String] = [:]
            guard got.count == expected.count else { return nil }
            for (part, other) in zip(expected, got) {
                guard isMatch(part, other, &values) else { return nil }
            }
            return values
        } addDifferences: { request, list in
            let got = parts(request)
            for index in 0..<max(expected.count, got.count) {
                let expected = expected.indices.contains(index) ? expected[index] : nil
                let got = got.indices.contains(index) ? got[index] : nil
                var values: [String: String] = [:]
                if let expected, let got, isMatch(expected, got, &values) { continue }
                list.addDifference(
                    "part \(index + 1)", expected: expected?.shown ?? "none",
                    got: got?.shown ?? "none",
                    ignoring: expected.flatMap { part in
                        Volatility.ignoring(part.text ?? "", got?.text ?? "", ".body", part.name)
                    })
            }
        }
    }

    private static func text(ofOrigin url: URL) -> String {
        "\(url.scheme ?? "")://\(url.host ?? "")\(url.port.map { ":\($0)" } ?? "")"
    }
}

/// The meaning of a body, which its content type describes.
enum BodyForm {
    case none, form, multipart, bytes
    case json(HTTPBody.JSON)
    /// Bytes with a content coding, such as `gzip`.
    case compressed(String)

    /// The kind in a failure.
    var name: String {
        switch self {
        case .none: "no body"
        case .form: "a form"
        case .multipart: "a multipart form"
        case .json: "JSON"
        case .bytes: "a body that is neither JSON nor a form"
        case .compressed(let coding): "a body in \(coding)"
        }
    }
}

extension RecordedRequest {
    /// The codings of the body (RFC 9110, section 8.4), or `nil` if it has none.
    var contentCoding: String? {
        header("Content-Encoding").flatMap { $0.lowercased() == "identity" ? nil : $0 }
    }

    var bodyForm: BodyForm {
        if body.isEmpty { return .none }
        // On Linux, decoding these codings would need a dependency.
        if let contentCoding { return .compressed(contentCoding) }
        if !form.isEmpty { return .form }
        if !parts.isEmpty { return .multipart }
        let declaresJSON = header("Content-Type").map { $0.mediaType.hasSuffix("json") } ?? true
        return declaresJSON ? jsonValue.map(BodyForm.json) ?? .bytes : .bytes
    }
}

extension [URLQueryItem] {
    /// Returns the items whose name is not one of the given names.
    func removing(_ names: Set<String>) -> Self {
        names.isEmpty ? self : filter { !names.contains($0.name) }
    }
}

extension RecordedRequest.Part {
    /// The properties that are compared without placeholders.
    fileprivate var label: [String?] { [name, fileName, contentType] }

    /// The part in a failure, without secrets.
    fileprivate var shown: String {
        if fileName == nil, contentType == nil, let text {
            let isSecret = Redaction.hidesValue(named: name)
            let value = isSecret ? Redaction.mask : Redaction.secrets.text(ofValue: text.start)
            return "\(name)=\"\(value)\""
        }
        let details = [
            fileName.map { "file name \"\($0)\"" }, contentType.map { "content type \($0)" },
            "\(body.count) bytes",
        ]
        return ([name] + details.compactMap { $0 }).joined(separator: ", ")
    }
}
