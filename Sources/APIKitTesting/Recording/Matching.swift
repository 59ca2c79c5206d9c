import APIKit
import Foundation

/// The components that a cassette compares, for the pattern and the index position of an entry.
struct Matching: Sendable {
    private var hasMethod = false
    private var hasURL = false
    private var hasHost = false
    /// The templates of ignored segments, if the path is compared.
    private var paths: [PathTemplate]?
    /// The ignored names, if the query is compared.
    private var query: Set<String>?
    /// The ignored names, if the body is compared.
    private var body: Set<String>?
    private(set) var headers: [String] = []
    private(set) var ignoredHeaders: Set<String> = []

    init(_ components: [Cassette.Component]) {
        for component in components {
            switch component.kind {
            case .method: hasMethod = true
            case .url: (hasURL, paths, query) = (true, paths ?? [], query ?? [])
            case .host: hasHost = true
            case .path(let templates): paths = (paths ?? []) + templates.map { PathTemplate($0) }
            case .query(let names): query = (query ?? []).union(names)
            case .body(let names): body = (body ?? []).union(names)
            case .header(let name): headers.append(name)
            case .ignoredHeaders(let names): ignoredHeaders.formUnion(names)
            }
        }
    }

    /// The mistake in a template, if there is one.
    var problem: String? { paths?.lazy.compactMap(\.problem).first }

    /// Returns the compared parts of a request, for an index.
    ///
    /// A part with a placeholder matches any part. Other parts are hashes, so that the index
    /// quickly finds one of many entries. The pattern of the entry compares the same parts, so the
    /// index must find every entry whose pattern matches.
    func steps(
        of request: RecordedRequest, _ placeholders: PlaceholderSet = .none, hasBody: Bool = true
    ) -> [PathTemplate.Segment] {
        var steps: [PathTemplate.Segment] = []
        func add(_ texts: [String]) {
            let isOpen = texts.contains(where: placeholders.occur)
            steps.append(isOpen ? .any : .literal("\(texts.hashValue)"))
        }
        if hasMethod { steps.append(.literal(request.method.rawValue.uppercased())) }
        if hasURL { add([request.origin]) }
        if hasHost { add([request.authority]) }
        if let query { add(request.queryItems.removing(query).map(\.pair).sorted()) }
        if let body {
            if hasBody { add(request.textsOfBody(ignoring: body)) } else { steps.append(.any) }
        }
        for name in headers { add(request.normalizedValue(of: name).map { [$0] } ?? []) }
        if paths != nil {
            // In an index, a segment with a placeholder is any segment.
            steps += segments(of: request, placeholders)
                .map { if case .recorded = $0 { .any } else { $0 } }
        }
        return steps
    }

    /// Returns the segments of a recorded path, with a wildcard for each ignored segment.
    private func segments(
        of request: RecordedRequest, _ placeholders: PlaceholderSet
    ) -> [PathTemplate.Segment] {
        let path = request.pathSegments
        let templates = (paths ?? []).filter { $0.parameters(in: path) != nil }
        return path.enumerated().map { index, segment in
            let text = RecordedText(segment, placeholders)
            return templates.contains { $0.ignores(index, ofSegments: path.count) }
                ? .any : text.isOpen ? .recorded(text) : .literal(segment)
        }
    }

    /// Returns the pattern for the requests that match an entry.
    ///
    /// - Parameters:
    ///   - request: The request of the entry.
    ///   - placeholders: The placeholders in the request.
    ///   - hasBody: Whether the body of the request is known.
    ///   - credentials: The header fields to compare, because they distinguish entries.
    /// - Returns: The pattern.
    func pattern(
        of request: RecordedRequest, _ placeholders: PlaceholderSet, hasBody: Bool,
        credentials: [String]
    ) -> RequestPattern {
        let url = Redaction.text(of: request.url).withoutOrigin
        var nodes: [RequestPattern.Node] = hasMethod ? [.method(request.method)] : []
        var conditions: [Condition] = []
        if paths != nil {
            let segments = segments(of: request, placeholders)
            nodes.append(
                .path(PathTemplate(segments, text: url, expectation: request.shownPath)))
        } else {
            conditions.append(Condition(label: url, accepts: { _ in true }) { _, _ in })
        }
        func add(_ subject: String, _ value: @escaping @Sendable (RecordedRequest) -> String?) {
            let isSecret = Redaction.hidesHeader(subject.replacing("header ", with: ""))
            conditions.append(
                Condition(
                    subject, recorded: value(request), placeholders, isSecret: isSecret,
                    value: value))
        }
        if hasURL { add("origin") { $0.origin } }
        if hasHost { add("host") { $0.authority } }
        if let query {
            conditions.append(
                Condition(
                    "query", label: "", exactly: request.queryItems.removing(query), placeholders,
                    items: { $0.queryItems.removing(query) }))
        }
        if let body, hasBody {
            conditions.append(Condition(recordedBodyOf: request, placeholders, ignoring: body))
        }
        for name in headers + credentials {
            add("header \(name)") { $0.normalizedValue(of: name) }
        }
        return RequestPattern(.all(nodes + conditions.map { .condition($0) }))
    }
}

extension PathTemplate {
    /// Returns whether a segment of a matching path is at a placeholder.
    fileprivate func ignores(_ index: Int, ofSegments count: Int) -> Bool {
        let index = isSuffix ? index - (count - segments.count) : index
        guard segments.indices.contains(index) else { return false }
        switch segments[index] {
        case .any, .parameter: return true
        case .literal, .rest, .recorded: return false
        }
    }
}

extension RecordedRequest {
    fileprivate var authority: String {
        let port = url.port.flatMap { $0 == url.defaultPort ? nil : ":\($0)" } ?? ""
        return (url.host ?? "").asciiHost + port
    }

    fileprivate var origin: String { "\(url.scheme?.lowercased() ?? "")://\(authority)" }

    /// Returns the value of a header field without the parts that differ in each recording.
    func normalizedValue(of name: String) -> String? {
        HAREntry.Request(self).normalized.headers.value(named: name)
    }

    /// Returns texts that are equal for bodies of equal meaning.
    fileprivate func textsOfBody(ignoring names: Set<String>) -> [String] {
        let form = bodyForm
        return switch form {
        case .none: []
        case .form: [form.name] + self.form.removing(names).map(\.pair).sorted()
        case .multipart:
            [form.name]
                + parts.filter { !names.contains($0.name) }
                .map { $0.text ?? "\($0.body.hashValue)" }
        case .json(let json): [form.name] + json.removing(names).leaves
        case .bytes, .compressed: [form.name, text ?? "\(body.hashValue)"]
        }
    }
}

extension HTTPBody.JSON {
    /// The names and scalars in a canonical order.
    fileprivate var leaves: [String] {
        switch self {
        case .object(let members):
            ["{"] + members.sorted { $0.key < $1.key }.flatMap { [$0.key] + $0.value.leaves }
                + ["}"]
        case .array(let elements): ["["] + elements.flatMap(\.leaves) + ["]"]
        case .null: ["null"]
        case .bool(let value): ["\(value)"]
        case .number(let value): ["\(value)"]
        case .extremeNumber(let value): ["\(value)"]
        case .string(let value): ["\"", value]
        }
    }
}

extension String {
    /// The path, the query and the fragment of a URL.
    fileprivate var withoutOrigin: String {
        let path =
            firstRange(of: "://").map { self[$0.upperBound...].drop { $0 != "/" } } ?? self[...]
        return path.isEmpty ? "/" : String(path)
    }
}

extension Condition {
    /// Creates a condition on the kind and the content of a recorded request's body.
    fileprivate init(
        recordedBodyOf expected: RecordedRequest, _ placeholders: PlaceholderSet,
        ignoring names: Set<String>
    ) {
        let condition = Condition(bodyOf: expected, placeholders, ignoring: names)
        let (form, size) = (expected.bodyForm.name, expected.body.count)
        self.init(label: "") { request in
            request.bodyForm.name == form ? condition.match(request) : nil
        } addDifferences: { request, list in
            let other = request.bodyForm.name
            if (expected.contentCoding ?? request.contentCoding) != nil {
                return list.add(
                    """
                    body: expected \(form) (\(size) bytes), got \(other) (\(request.body.count) \
                    bytes). A compressed body is compared byte by byte. Send it without compression \
                    in this test, or leave .body out of matching:
                    """)
            }
            guard other == form else {
                return list.addDifference("body", expected: form, got: other)
            }
            condition.addDifferences(request, &list)
        }
    }
}
