import APIKit
import Foundation

extension Condition {
    /// Creates a condition on the scheme, host and port, which must be those of a URL.
    init(originOf url: URL) {
        let (origin, text) = (Origin(url), Condition.text(ofOrigin: url))
        // The text of the path contains the origin.
        self.init(label: "") {
            Origin($0.url) == origin
        } differences: {
            ["origin: expected \(text), got \(Condition.text(ofOrigin: $0.url))"]
        }
    }

    /// Creates a condition on the body, compared by meaning with the body of a request.
    init(bodyOf expected: RecordedRequest) {
        let (form, parts) = (expected.form, expected.parts)
        if !form.isEmpty {
            self.init(
                "form", label: "form \(Condition.text(form))", exactly: form, items: \.form)
        } else if !parts.isEmpty {
            self.init(parts: parts)
        } else if expected.declaresJSON, let json = expected.jsonValue {
            self.init(json: json)
        } else {
            let shown = expected.shownBody
            self.init(label: shown.map { "body \($0)" } ?? "") {
                $0.body == expected.body
            } differences: { request in
                let remark =
                    switch shown {
                    case nil: " (for an upload, pass its body as from:)"
                    case request.shownBody: " (a different value)"
                    default: ""
                    }
                return [
                    "body: expected \(shown ?? "none"), got \(request.shownBody ?? "none")\(remark)"
                ]
            }
        }
    }

    /// Creates a condition on the parts of a multipart body, in their order.
    private init(parts expected: [RecordedRequest.Part]) {
        let text = expected.map(\.shown).joined(separator: "; ")
        self.init(label: "parts \(text)") {
            $0.parts == expected
        } differences: { request in
            let got = request.parts
            return (0..<max(expected.count, got.count)).compactMap { index in
                let expected = expected.indices.contains(index) ? expected[index] : nil
                let got = got.indices.contains(index) ? got[index] : nil
                guard expected != got else { return nil }
                let (expectedText, gotText) = (expected?.shown ?? "none", got?.shown ?? "none")
                let other = expectedText == gotText ? " (a different value)" : ""
                return "part \(index + 1): expected \(expectedText), got \(gotText)\(other)"
            }
        }
    }

    private static func text(ofOrigin url: URL) -> String {
        "\(url.scheme ?? "")://\(url.host ?? "")\(url.port.map { ":\($0)" } ?? "")"
    }
}

extension RecordedRequest {
    /// Whether the content type is that of JSON, or missing.
    fileprivate var declaresJSON: Bool {
        header("Content-Type").map { $0.mediaType.hasSuffix("json") } ?? true
    }
}

extension RecordedRequest.Part {
    /// The part in a failure, without secrets.
    fileprivate var shown: String {
        if fileName == nil, contentType == nil, let text {
            let isSecret = Redaction.hidesItem(named: name)
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
