import APIKit
import Foundation

/// The compared form of a recording's requests.
///
/// It lacks what the cassette ignores, and has a mask in place of each secret.
///
/// A secret of the recording has a placeholder, and the test sends another value. So both sides have
/// a mask where the rule of the cassette finds a secret, and where any entry has a placeholder.
struct ReplayKeys: Sendable {
    private let matching: Cassette.Component
    private let templates: [PathTemplate]
    private let redaction: Redaction
    private let placeholders: ByteStrings
    /// The keys of the recorded requests.
    private(set) var recorded: [CanonicalRequest] = []
    /// The names whose value is a secret in an entry.
    private var secretNames: Set<ExactText> = []
    private var paths: Set<[CanonicalRequest.Value]> = []
    /// The paths with a mask, which is any segment, in the order of the file.
    private var maskedPaths: [[CanonicalRequest.Value]] = []

    private static let mask = CanonicalRequest.Value.text(ExactText(Redaction.mask))

    init(of requests: [RecordedRequest], _ placeholders: [String], for cassette: Cassette) {
        (matching, redaction) = (cassette.matching, cassette.redaction)
        templates = matching.templates.sorted().map { PathTemplate($0) }
        self.placeholders = ByteStrings(placeholders: placeholders)
        let forms = requests.map(maskedForm)
        for form in forms {
            secretNames.formUnion(form.values.filter { $0.value.contains(Self.mask) }.keys)
            guard let path = form.values["path"], paths.insert(path).inserted else { continue }
            if path.contains(Self.mask) { maskedPaths.append(path) }
        }
        secretNames.remove("path")
        recorded = forms.map(key)
    }

    /// Returns the key of a request, which is equal for requests that differ only in secrets.
    func key(of request: RecordedRequest) -> CanonicalRequest { key(maskedForm(of: request)) }

    private func key(_ form: CanonicalRequest) -> CanonicalRequest {
        var form = form
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
        return form
    }
}

extension ReplayKeys {
    /// Returns the compared components of a request.
    private func form(of request: RecordedRequest) -> CanonicalRequest {
        let ignored = matching.ignored
        var form = CanonicalRequest()
        for part in matching.parts {
            switch part {
            case .method: form.add("method", request.method.rawValue.uppercased())
            case .origin: form.formUnion(CanonicalRequest(originOf: request.url))
            case .path: form.values["path"] = path(request.pathSegments)
            case .query:
                form.formUnion(CanonicalRequest("query", request.queryItems, ignoring: ignored))
            case .body where !request.hasBody: form.values["body"] = [.literal("unknown")]
            case .body:
                // A multipart body whose parts have no names is compared as a whole.
                let body = request.boundary == nil ? request : request.normalized
                form.formUnion(CanonicalRequest(bodyOf: body, ignoring: ignored))
            // The system sends cookies in any order.
            case .header("cookie"): form.formUnion(CanonicalRequest("cookie", request.cookieItems))
            case .header(let name):
                guard let value = request.header(name) else { continue }
                let hasBoundary = FieldReader.parameters(of: value)["boundary"] != nil
                form.add("header.\(name)", hasBoundary ? value.mediaType : value)
            }
        }
        return form
    }

    /// Returns the segments of a path, with a mask in place of those at a placeholder of a template.
    private func path(_ path: [String]) -> [CanonicalRequest.Value] {
        var values = path.map { CanonicalRequest.Value.text(ExactText($0)) }
        for template in templates where template.parameters(in: path) != nil {
            for (index, segment) in zip(template.compared(path).indices, template.segments)
            where segment.isPlaceholder {
                values[index] = Self.mask
            }
        }
        return values
    }

    private func maskedForm(of request: RecordedRequest) -> CanonicalRequest {
        var form = form(of: request)
        guard redaction.hidesAnything || !placeholders.isEmpty else { return form }
        for (name, values) in form.values {
            form.values[name] = values.map { masked($0, named: name.string) }
        }
        return form
    }

    private func masked(_ value: CanonicalRequest.Value, named name: String)
        -> CanonicalRequest.Value
    {
        switch value {
        case .bytes: return value
        case .literal(let text):
            guard text.contains(where: \.isNumber), !value.isContainer else { return value }
            return masked(text, named: name) == text ? value : Self.mask
        case .text(let text):
            let masked = masked(text.string, named: name)
            guard masked != text.string else { return value }
            return name == "path" ? Self.mask : .text(ExactText(masked))
        }
    }

    private func masked(_ text: String, named name: String) -> String {
        var masked = text
        if name.hasPrefix("cookie.") {
            let field = "\(name.dropFirst("cookie.".count))=\(text)"
            if redaction.masked(header: "Cookie", field) != field { masked = Redaction.mask }
        } else if name != "method", name != "origin" {
            masked = redaction.masked(text, as: CanonicalRequest.kind(of: name))
        }
        return placeholders.isEmpty ? masked : placeholders.replacing(in: masked)
    }
}

extension ReplayKeys {
    /// Returns the pattern for the requests with the key of a recorded one, for failures.
    func pattern(_ key: CanonicalRequest, of request: RecordedRequest) -> RequestPattern {
        let label = String(request.target.split(at: " ").1)
        var nodes: [RequestPattern.Node] = []
        if key.values["method"] != nil { nodes.append(.method(request.method)) }
        let path = key.values["path"]
        if let path {
            let segments = path.map { value -> PathTemplate.Segment in
                value == Self.mask ? .any : .literal(ExactText(value.text))
            }
            nodes.append(
                .path(PathTemplate(segments, text: label, expectation: request.shownPath)))
        }
        @Sendable func rest(of key: CanonicalRequest) -> CanonicalRequest {
            key.filter { $0 != "method" && $0 != "path" }
        }
        nodes.append(
            .condition(
                Condition(label: path == nil ? label : "", equals: rest(of: key)) {
                    var other = $0.request
                    other.hasBody = request.hasBody
                    return rest(of: self.key(of: other))
                }))
        return RequestPattern(nodes)
    }
}
