import APIKit

extension RequestPattern {
    /// Returns the path parameters of a matching request, or `nil` if the request does not match.
    func match(_ request: RecordedRequest) -> [String: String]? {
        node.match(request)
    }

    func matches(_ request: RecordedRequest) -> Bool {
        match(request) != nil
    }

    /// Returns the differences between the pattern and a request, one line each.
    func differences(from request: RecordedRequest) -> [String] {
        conditions.flatMap { $0.differences(from: request) }
    }

    /// The mistake in the pattern, if there is one.
    var problem: String? { node.problem }
}

extension RequestPattern: CustomStringConvertible {
    /// The pattern in words, with masked secrets.
    public var description: String { node.text }
}

extension RequestPattern.Node {
    func match(_ request: RecordedRequest) -> [String: String]? {
        switch self {
        case .method(let method):
            return request.method.rawValue.uppercased() == method.rawValue.uppercased()
                ? [:] : nil
        case .path(let template):
            return template.parameters(in: request.pathSegments)
        case .condition(let condition):
            return condition.accepts(request) ? [:] : nil
        case .all(let nodes):
            var parameters: [String: String] = [:]
            for node in nodes {
                guard let found = node.match(request) else { return nil }
                if !found.isEmpty { parameters.merge(found) { _, last in last } }
            }
            return parameters
        case .either(let first, let second):
            return first.match(request) ?? second.match(request)
        case .not(let node):
            return node.match(request) == nil ? [:] : nil
        }
    }

    func differences(from request: RecordedRequest) -> [String] {
        guard match(request) == nil else { return [] }
        switch self {
        case .method(let method):
            return ["method: expected \(method), got \(request.method)"]
        case .path(let template):
            let hint =
                template.matchesExceptSlash(request.pathSegments)
                ? " (only the trailing slash differs)" : ""
            return ["path: expected \(template.expectation), got \(request.path)\(hint)"]
        case .condition(let condition):
            return condition.differences(request)
        case .all(let nodes):
            return nodes.flatMap { $0.differences(from: request) }
        case .either, .not:
            return ["expected \(text)"]
        }
    }

    var text: String {
        switch self {
        case .method(let method): method.rawValue
        case .path(let template): template.text
        case .condition(let condition): condition.label
        case .all(let nodes): RequestPattern.Node.text(ofAll: nodes)
        case .either(let first, let second): "(\(first.text) or \(second.text))"
        case .not(let node): "not (\(node.text))"
        }
    }

    private static func text(ofAll nodes: [RequestPattern.Node]) -> String {
        if nodes.isEmpty { return "any request" }
        // A method and a path are joined: "GET /users".
        if nodes.count > 1, case .method(let method) = nodes[0], case .path(let path) = nodes[1] {
            return (["\(method) \(path.text)"] + nodes.dropFirst(2).map(\.text))
                .filter { !$0.isEmpty }.joined(separator: ", ")
        }
        return nodes.map(\.text).joined(separator: ", ")
    }

    var problem: String? {
        switch self {
        case .path(let template): template.problem
        case .condition(let condition): condition.problem
        case .method: nil
        case .all(let nodes): nodes.lazy.compactMap(\.problem).first
        case .either(let first, let second): first.problem ?? second.problem
        case .not(let node): node.problem
        }
    }
}
