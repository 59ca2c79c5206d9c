import APIKit
import Foundation

/// The components of a request that a cassette compares.
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
    private var headers: [String] = []

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
            }
        }
    }

    /// The mistake in a template, if there is one.
    var problem: String? { paths?.lazy.compactMap(\.problem).first }

    /// Returns the compared components of a request, with the body if it is known.
    func form(of request: RecordedRequest, hasBody: Bool = true) -> RequestForm {
        var form = RequestForm()
        if hasMethod { form.add("method", request.method.rawValue.uppercased()) }
        if hasURL { form.formUnion(RequestForm(originOf: request.url)) }
        if hasHost { form.add("host", RequestForm.authority(of: request.url)) }
        if let paths {
            form.values["path"] = RequestForm.path(request.pathSegments, ignoring: paths)
        }
        if let query {
            form.formUnion(RequestForm("query", request.queryItems, ignoring: query))
        }
        if let body, hasBody { form.formUnion(RequestForm(bodyOf: request, ignoring: body)) }
        for name in headers {
            if let value = request.header(name) {
                form.add("header.\(name)", value)
            }
        }
        return form
    }
}

extension RequestForm {
    /// Returns the segments of a path, with a mask in place of those at a placeholder of a template.
    static func path(_ path: [String], ignoring templates: [PathTemplate]) -> [Value] {
        let templates = templates.filter { $0.parameters(in: path) != nil }
        return path.enumerated().map { index, segment in
            let isIgnored = templates.contains { template in
                let start = template.isSuffix ? path.count - template.segments.count : 0
                return template.segments.indices.contains(index - start)
                    && template.segments[index - start].isPlaceholder
            }
            return isIgnored ? ReplayKeys.mask : .text(ExactText(segment))
        }
    }
}
