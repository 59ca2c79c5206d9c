import APIKit
import Foundation

extension Condition {
    /// Creates a condition on the body, compared with a JSON text, in which objects may have further
    /// members if it is partial.
    init(json text: Data, isPartial: Bool = false) throws(Mistake) {
        let expected = try RequestForm(expecting: text)
        guard isPartial else {
            self.init(label: expected.text(), equals: expected) { $0.json }
            return
        }
        self.init(
            label: "json: a value containing \(expected.text(of: "json", besides: nil))",
            equals: expected
        ) {
            $0.json?.containing(expected)
        }
    }

    /// Creates a condition on the value at a path of a JSON body.
    init(at path: String, json text: Data) throws(Mistake) {
        let name = try JSONPath(path).name
        let expected = try RequestForm(expecting: text, at: name)
        self.init(
            label: "\(name): \(expected.text(of: ExactText(name), besides: nil))", equals: expected
        ) {
            $0.json?.filter { $0 == ExactText(name) || $0.isBelow(name) }
        }
    }

    /// Returns a value as JSON text.
    static func json(
        _ value: some Encodable, _ encoder: JSONEncoder = JSONEncoder()
    ) throws(Mistake) -> Data {
        do {
            return try encoder.encode(value)
        } catch {
            let reason = APIError.text(of: error)
            throw Mistake(text: "a \(type(of: value)) cannot be encoded as JSON: \(reason)")
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
            request.values(named: ExactText(name)) ?? []
        }
        self.init(label: "part.\(name)\(details.joined())") { request in
            values("part.\(name).body", request).indices.contains { index in
                checks.allSatisfy { $0.pattern.accepts([values($0.name, request)[index]]) }
            }
        } addDifferences: { request, list in
            guard !values("part.\(name).body", request).isEmpty else {
                let names = request.request.parts.map(\.name).joined(separator: ", ")
                return list.addDifference(
                    "part.\(name)", expected: "a part",
                    got: names.isEmpty ? request.body.bodyKind ?? "" : names)
            }
            let failing = checks.filter { check in
                !values(check.name, request).contains { check.pattern.accepts([$0]) }
            }
            // Each check can hold for another part.
            for check in failing.isEmpty ? checks : failing {
                list.addDifference(
                    check.name, expected: check.pattern.expectation,
                    got: RequestForm.text(
                        of: values(check.name, request), named: check.name,
                        besides: request.written))
            }
        }
    }

    /// Creates a condition on the body, compared by meaning with the body of a request.
    init(bodyOf request: RecordedRequest) {
        let expected = RequestForm(bodyOf: request)
        self.init(
            label: expected.text(), equals: expected,
            remark: request.body.isEmpty ? " (for an upload, pass its body as from:)" : ""
        ) { $0.body }
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
    /// Creates the form of a JSON text that a pattern expects.
    fileprivate init(
        expecting text: Data, at name: String = "json"
    ) throws(Condition.Mistake) {
        guard let form = RequestForm(json: text, at: name) else {
            throw Condition.Mistake(
                text: JSONValue.mistake(in: text) ?? "the names of the JSON text are too long")
        }
        self = form
    }

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
