import APIKit
import Foundation

extension Condition {
    /// Creates a condition on the body, compared with a value as JSON.
    init(json value: some Encodable, encoder: JSONEncoder, isPartial: Bool = false) {
        self.init(value, encoder) { Self(jsonText: $0, isPartial: isPartial) }
    }

    /// Creates a condition on the body, compared with a JSON text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - isPartial: Whether objects may have further members.
    init(jsonText text: Data, isPartial: Bool = false) {
        self.init(ofJSON: text, at: "json") { expected in
            guard isPartial else { return Self(label: expected.text, equals: expected) { $0.json } }
            return Self(
                label: "json: a value containing \(expected.text(of: "json", besides: nil))",
                equals: expected
            ) { $0.json?.containing(expected) }
        }
    }

    /// Creates a condition on the value at a path of a JSON body.
    init(at path: String, json value: some Encodable) {
        self.init(at: path) { name in
            Self(value, JSONEncoder()) { text in
                Self(ofJSON: text, at: name) { expected in
                    Self(
                        label: "\(name): \(expected.text(of: ExactText(name), besides: nil))",
                        equals: expected
                    ) { $0.json?.subform(at: name) }
                }
            }
        }
    }

    /// Creates a condition from the form of a JSON text, which is invalid if the text is.
    private init(ofJSON text: Data, at name: String, _ make: (RequestForm) -> Condition) {
        guard let expected = RequestForm(json: text, at: name) else {
            let problem = HTTPBody.JSON.mistake(in: text)
            self.init(problem: problem ?? "the names of the JSON text are too long")
            return
        }
        self = make(expected)
    }

    /// Creates a condition on the text of the value at a path of a JSON body.
    init(at path: String, _ pattern: ValuePattern) {
        self.init(at: path) { name in
            Self(name, pattern, values: { $0.json?.elements(at: name) })
        }
    }

    /// Creates a condition on the value with a name, which is invalid if the path is invalid.
    private init(at text: String, _ make: (_ name: String) -> Condition) {
        guard let path = JSONPath(text) else {
            self.init(
                problem: """
                    "\(text)" is not a path to a JSON value. Write one such as user.addresses[0].city, \
                    and a name with other characters than letters as in user["first.name"]
                    """)
            return
        }
        self = make("json\(path)")
    }

    /// Creates a condition from a value as JSON text, which is invalid if JSON cannot represent it.
    private init(
        _ value: some Encodable, _ encoder: JSONEncoder, _ make: (Data) -> Condition
    ) {
        do {
            self = make(try encoder.encode(value))
        } catch {
            let reason = APIError.text(of: error)
            self.init(problem: "a \(type(of: value)) cannot be encoded as JSON: \(reason)")
        }
    }
}

extension Condition {
    /// Creates a condition on a field of a form.
    init(field name: String, _ pattern: ValuePattern) {
        self.init("form.\(name)", pattern) { request in
            request.body.values[ExactText("form.\(name)")] ?? []
        } remark: { request in
            guard ![RequestForm.form, RequestForm.noBody].contains(request.body.bodyKind) else {
                return ""
            }
            let type = request.request.header("Content-Type").map { "is \($0)" }
            return " (the body \(type ?? "has no content type"), so it is not a form)"
        }
    }

    /// Creates a condition on a part of a multipart body.
    init(
        part name: String, fileName: ValuePattern?, contentType: ValuePattern?, body: ValuePattern?
    ) {
        let checks = [("filename", fileName), ("type", contentType), ("body", body)]
            .compactMap { property, pattern in
                pattern.map { (property: property, name: "part.\(name).\(property)", pattern: $0) }
            }
        let details = checks.map { ", \($0.property) \($0.pattern.expectation)" }
        @Sendable func values(_ name: String, _ request: ComparedRequest) -> [RequestForm.Value] {
            request.body.values[ExactText(name)] ?? []
        }
        self.init(label: "part.\(name)\(details.joined())") { request in
            values("part.\(name).body", request).indices.contains { index in
                checks.allSatisfy { $0.pattern.accepts([values($0.name, request)[index]]) }
            }
        } addDifferences: { request, list in
            let names = request.request.parts.map(\.name)
            guard names.contains(where: { ExactText($0) == ExactText(name) }) else {
                return list.addDifference(
                    "part.\(name)", expected: "a part",
                    got: names.isEmpty
                        ? request.body.bodyKind ?? "" : names.joined(separator: ", "))
            }
            for check in checks {
                let got = values(check.name, request)
                guard !got.contains(where: { check.pattern.accepts([$0]) }) else { continue }
                list.addDifference(
                    check.name, expected: check.pattern.expectation,
                    got: RequestForm.text(of: got, named: check.name, besides: request.written))
            }
        }
    }

    /// Creates a condition on the body, compared by meaning with the body of a request.
    init(bodyOf request: RecordedRequest) {
        let expected = RequestForm(bodyOf: request)
        guard !request.body.isEmpty else {
            self.init(label: "") {
                $0.request.body.isEmpty
            } addDifferences: { request, list in
                list.addDifference(
                    "body", expected: RequestForm.noBody, got: request.request.shownBody ?? "",
                    remark: " (for an upload, pass its body as from:)")
            }
            return
        }
        self.init(label: expected.text, equals: expected) { $0.body }
    }

    /// Creates a condition on the scheme, host and port, which must equal a URL's.
    init(originOf url: URL) {
        // No label, because the text of the path already contains the origin.
        self.init(label: "", equals: RequestForm(originOf: url)) {
            RequestForm(originOf: $0.request.url)
        }
    }
}

extension RequestForm {
    init(originOf url: URL) {
        self.init()
        add("origin", "\(url.scheme?.lowercased() ?? "")://\(Self.authority(of: url))")
    }

    /// Returns the host and the port, unless the port is the default of the scheme.
    static func authority(of url: URL) -> String {
        let port = url.port.flatMap { $0 == url.defaultPort ? nil : ":\($0)" } ?? ""
        return (url.host ?? "").asciiHost + port
    }
}
