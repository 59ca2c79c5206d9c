import APIKit

extension RequestPattern {
    /// Returns the path parameters of a matching request, or `nil` if the request does not match.
    func match(_ request: RecordedRequest) -> [String: String]? {
        node.match(request)
    }

    func matches(_ request: RecordedRequest) -> Bool {
        match(request) != nil
    }

    /// Adds the differences between the pattern and a request, one line each.
    func addDifferences(from request: RecordedRequest, to list: inout LimitedList) {
        node.addDifferences(from: request, to: &list)
    }

    /// Returns the number of differences between the pattern and a request.
    func differenceCount(from request: RecordedRequest) -> Int {
        var list = LimitedList(showing: 0)
        addDifferences(from: request, to: &list)
        return list.count
    }

    /// The mistake in the pattern, if there is one.
    var problem: String? { node.problem }
}

extension RequestPattern: CustomStringConvertible {
    /// The pattern in words, with masked secrets and at most 300 characters.
    public var description: String { node.text.escaped.shortened(to: 300) }
}

extension RequestPattern.Node {
    func match(_ request: RecordedRequest) -> [String: String]? {
        switch self {
        case .method(let method):
            return request.method.rawValue.uppercased() == method.rawValue.uppercased()
                ? [:] : nil
        case .path(let template):
            return template.parameters(in: request.pathSegments)
        case .expression(let expression):
            return expression.parameters(in: request.pathSegments)
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

    fileprivate func addDifferences(from request: RecordedRequest, to list: inout LimitedList) {
        guard match(request) == nil else { return }
        switch self {
        case .method(let method):
            list.add("method: expected \(method), got \(request.method)")
        case .path(let template):
            let hint =
                template.matchesExceptSlash(request.pathSegments)
                ? " (only the trailing slash differs)" : ""
            list.add(
                "path: expected \(template.expectation.shortened(to: 200)), "
                    + "got \(request.shownPath.shortened(to: 200))\(hint)")
        case .expression(let expression):
            list.add(
                "path: expected \(expression.expectation), "
                    + "got \(request.shownPath.shortened(to: 200))")
        case .condition(let condition):
            condition.addDifferences(request, &list)
        case .all(let nodes):
            for node in nodes { node.addDifferences(from: request, to: &list) }
        case .either(let first, let second):
            list.add("expected \(text.shortened(to: 300)), got \(request.target)")
            // If the method and the path match, the target does not show the difference.
            for node in [first, second] where node.closeness(to: request) == .matching {
                node.addDifferences(from: request, to: &list)
            }
        case .not:
            list.add("expected \(text.shortened(to: 300)), got \(request.target)")
        }
    }

    var text: String {
        switch self {
        case .method(let method): method.rawValue
        case .path(let template): template.text
        case .expression(let expression): "path: \(expression.expectation)"
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
        case .method, .expression: nil
        case .all(let nodes): nodes.lazy.compactMap(\.problem).first
        case .either(let first, let second): first.problem ?? second.problem
        case .not(let node): node.problem
        }
    }
}
