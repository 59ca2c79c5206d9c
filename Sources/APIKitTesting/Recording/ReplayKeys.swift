import APIKit
import Foundation

/// The keys of a recording's requests, which are equal if the requests are.
///
/// A key lacks what the cassette ignores, and has a mask in place of each secret.
///
/// A secret of the recording has a placeholder, and the test sends another value. So both sides have
/// a mask where the rule of the cassette finds a secret, and where any entry has a placeholder.
struct ReplayKeys: Sendable {
    private let matching: Cassette.Component
    private let templates: [PathTemplate]
    private let redaction: Redaction
    private let placeholders: ByteStrings
    /// The keys of the recorded requests.
    private(set) var recorded: [NamedValues] = []
    /// The names whose value is a secret in an entry.
    private var secretNames: Set<ExactText> = []
    private var paths: Set<[NamedValues.Value]> = []
    /// The paths with a mask, which is any segment, in the order of the file.
    private var maskedPaths: [[NamedValues.Value]] = []

    private static let mask = NamedValues.Value.text(ExactText(Redaction.mask))

    init(of requests: [RecordedRequest], _ placeholders: [String], for cassette: Cassette) {
        (matching, redaction) = (cassette.matching, cassette.redaction)
        templates = matching.templates.sorted().map { PathTemplate($0) }
        self.placeholders = ByteStrings(placeholders: placeholders)
        let masked = requests.map(masked)
        for request in masked {
            secretNames.formUnion(request.values.filter { $0.value.contains(Self.mask) }.keys)
            guard let path = request.values["path"], paths.insert(path).inserted else { continue }
            if path.contains(Self.mask) { maskedPaths.append(path) }
        }
        secretNames.remove("path")
        recorded = masked.map(key)
    }

    /// Returns the key of a request, which is equal for requests that differ only in secrets.
    func key(of request: RecordedRequest) -> NamedValues { key(masked(request)) }

    private func key(_ masked: NamedValues) -> NamedValues {
        var key = masked
        for (name, values) in masked.values where secretNames.contains(name) {
            // The secret of another request with this name can be a whole JSON text.
            if values.contains(where: \.isContainer) {
                key = key.filter { !$0.isBelow(name.string) }
            }
            key.values[name] = values.map { _ in Self.mask }
        }
        if let path = masked.values["path"], !paths.contains(path) {
            key.values["path"] =
                maskedPaths.first { other in
                    other.count == path.count
                        && zip(other, path).allSatisfy { $0 == Self.mask || $0 == $1 }
                } ?? path
        }
        return key
    }
}

extension ReplayKeys {
    /// Returns the compared components of a request, with a mask in place of the secrets that are found
    /// in it.
    private func masked(_ request: RecordedRequest) -> NamedValues {
        let ignored = matching.ignored
        var masked = NamedValues()
        for part in matching.parts {
            switch part {
            case .method:
                masked.add("method", request.method.rawValue.uppercased())
                // It changes what the method requests (RFC 9110, section 14.2).
                if let range = request.header("Range") { masked.add("header.range", range) }
            case .origin: masked.formUnion(NamedValues(originOf: request.url))
            case .path: masked.values["path"] = path(request.pathSegments)
            case .query:
                masked.formUnion(NamedValues("query", request.queryItems, ignoring: ignored))
            case .body where !request.hasBody: masked.values["body"] = [.literal("unknown")]
            case .body:
                // A multipart body whose parts have no names is compared as a whole.
                let isPlain = request.body.isEmpty || request.boundary == nil
                masked.formUnion(
                    NamedValues(
                        bodyOf: isPlain ? request : request.normalized, ignoring: ignored))
            // The system sends cookies in any order.
            case .header("cookie"):
                masked.formUnion(NamedValues("cookie", request.cookieItems))
            case .header(let name):
                guard let value = request.header(name) else { continue }
                let hasBoundary = FieldReader.parameters(of: value)["boundary"] != nil
                masked.add("header.\(name)", hasBoundary ? value.mediaType : value)
            }
        }
        guard redaction.hidesAnything || !placeholders.isEmpty else { return masked }
        for (name, values) in masked.values {
            let kind = masked.kind(of: name)
            masked.values[name] = values.map { self.masked($0, kind, named: name.string) }
        }
        return masked
    }

    /// Returns the segments of a path, with a mask in place of those at a placeholder of a template.
    private func path(_ path: [String]) -> [NamedValues.Value] {
        var values = path.map { NamedValues.Value.text(ExactText($0)) }
        for template in templates where template.parameters(in: path) != nil {
            for (index, segment) in zip(template.compared(path).indices, template.segments)
            where segment.isPlaceholder {
                values[index] = Self.mask
            }
        }
        return values
    }

    /// Returns a value with a mask in place of secrets.
    ///
    /// A number, a cookie and a segment of a path are masked as a whole.
    private func masked(
        _ value: NamedValues.Value, _ kind: Redaction.TextKind, named name: String
    ) -> NamedValues.Value {
        // A method and an origin, which is a scheme, a host and a port, hold no secret.
        guard value.isText, !value.isContainer, name != "method", name != "origin" else {
            return value
        }
        // The rule finds the secret of a cookie after its name.
        let isCookie = name.hasPrefix("cookie.")
        let text = isCookie ? "\(name.dropFirst("cookie.".count))=\(value.text)" : value.text
        let bytes = Array(text.utf8)
        let redacted = redaction.replacingSecrets(in: bytes, as: kind) { _, _ in Redaction.mask }
        let masked = placeholders.replacing(in: redacted)
        if masked == bytes { return value }
        switch value {
        case .text where !isCookie && name != "path":
            return .text(ExactText(String(decoding: masked, as: UTF8.self)))
        case .literal(let text) where !text.contains(where: \.isNumber): return value
        default: return Self.mask
        }
    }
}

extension ReplayKeys {
    /// Returns the pattern for the requests with the key of a recorded one, for failures.
    func pattern(_ key: NamedValues, of request: RecordedRequest) -> RequestPattern {
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
        @Sendable func rest(of key: NamedValues) -> NamedValues {
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
