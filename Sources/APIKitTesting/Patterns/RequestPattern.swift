import APIKit
import Foundation

/// A pattern that selects the requests to reply to, to find or to count.
///
/// A pattern starts with a method and a path. Each further condition narrows it.
///
/// ```swift
/// .post("/users/{id}").header("Authorization", .prefix("Bearer ")).json(user)
/// ```
///
/// In a path, `{name}` matches one segment, whose value is in ``RecordedRequest/parameters``. `*` also
/// matches one segment. `**`, at the start or the end, matches any number of segments: `**/dogs/1`
/// matches `/v1/dogs/1` and `/dogs/1`, but not `/hotdogs/1`. A trailing slash is significant. The path
/// is percent-decoded first, so `/a b` and `/a%20b` are the same.
///
/// The operators `&&`, `||` and `!` combine patterns.
public struct RequestPattern: Sendable {
    /// A condition, or other patterns.
    enum Node: Sendable {
        case method(HTTPMethod)
        case path(PathTemplate)
        /// The query that a request type states.
        case query(NamedValues)
        case condition(Condition)
        case either(RequestPattern, RequestPattern)
        case not(RequestPattern)
    }

    /// The conditions that a request must all meet.
    let nodes: [Node]
    /// The mistake in an invalid pattern, which no request matches.
    let problem: String?

    init(_ nodes: [Node], problem: String? = nil) {
        (self.nodes, self.problem) = (nodes, problem)
    }

    /// Any request.
    public static let any = RequestPattern([])

    /// A GET.
    public static func get(_ path: String = "/**") -> RequestPattern { method(.get, path) }
    /// A POST.
    public static func post(_ path: String = "/**") -> RequestPattern { method(.post, path) }
    /// A PUT.
    public static func put(_ path: String = "/**") -> RequestPattern { method(.put, path) }
    /// A PATCH.
    public static func patch(_ path: String = "/**") -> RequestPattern { method(.patch, path) }
    /// A DELETE.
    public static func delete(_ path: String = "/**") -> RequestPattern { method(.delete, path) }
    /// A HEAD.
    public static func head(_ path: String = "/**") -> RequestPattern { method(.head, path) }

    /// A request with a method.
    ///
    /// Method names are case-sensitive, except that `URLRequest` itself sends GET, HEAD, POST, PUT,
    /// DELETE and CONNECT in upper case. So `.method("get")` is a GET, but `.patch()` does not match a
    /// request with the method `patch`, which servers refuse.
    public static func method(_ method: HTTPMethod, _ path: String = "/**") -> RequestPattern {
        // RFC 9110, section 9.1, makes the names case-sensitive. Foundation changes the case of only
        // some names, so Foundation itself applies its rule here.
        var request = URLRequest(url: URL(fileURLWithPath: "/"))
        request.httpMethod = method.rawValue
        return RequestPattern([.method(request.method)]) && .path(path)
    }

    /// A request with any method to a path.
    public static func path(_ path: String) -> RequestPattern {
        let template = PathTemplate(path)
        return RequestPattern([.path(template)], problem: template.problem)
    }

    /// A request with any method to a path that a regular expression matches as a whole.
    ///
    /// The path starts with a slash and is percent-decoded first, so `%2F` is a slash too. Named
    /// captures are in ``RecordedRequest/parameters``. Add a method with an operator:
    ///
    /// ```swift
    /// .get() && .path(matching: #//dogs/(?<id>\d+)/#)
    /// ```
    ///
    /// Write the expression as a literal, because a stored `Regex` is not `Sendable`.
    public static func path<Output>(
        matching regex: @autoclosure @escaping @Sendable () -> Regex<Output>
    ) -> RequestPattern {
        RequestPattern([.path(PathTemplate(regex))])
    }

    /// Requests that both patterns match.
    public static func && (first: RequestPattern, second: RequestPattern) -> RequestPattern {
        RequestPattern(first.nodes + second.nodes, problem: first.problem ?? second.problem)
    }

    /// Requests that either pattern matches.
    public static func || (first: RequestPattern, second: RequestPattern) -> RequestPattern {
        RequestPattern([.either(first, second)], problem: first.problem ?? second.problem)
    }

    /// Requests that the pattern does not match.
    public static prefix func ! (pattern: RequestPattern) -> RequestPattern {
        RequestPattern([.not(pattern)], problem: pattern.problem)
    }

    func adding(
        _ condition: @autoclosure () throws(Condition.Mistake) -> Condition
    ) -> RequestPattern {
        do throws(Condition.Mistake) {
            return RequestPattern(nodes + [.condition(try condition())], problem: problem)
        } catch {
            return RequestPattern(nodes, problem: problem ?? error.text)
        }
    }

    /// Whether every matching request is a POST or a PATCH, which must not happen twice.
    var isSubmit: Bool {
        nodes.contains {
            if case .method(let method) = $0 { [.post, .patch].contains(method) } else { false }
        }
    }

    /// The path that every matching request has, if there is one.
    var path: PathTemplate? {
        for case .path(let template) in nodes { return template }
        return nil
    }
}

extension RequestPattern {
    /// Returns the path parameters of a matching request, or `nil` if the request does not match.
    func match(_ request: ComparedRequest) -> [String: String]? {
        guard problem == nil else { return nil }
        var parameters: [String: String] = [:]
        for node in nodes {
            guard let found = match(node, request) else { return nil }
            if !found.isEmpty { parameters.merge(found) { $1 } }
        }
        return parameters
    }

    func matches(_ request: RecordedRequest) -> Bool {
        match(ComparedRequest(request)) != nil
    }

    /// Adds the differences between the pattern and a request, one line each.
    func addDifferences(from request: ComparedRequest, to list: inout LimitedList) {
        for node in nodes where match(node, request) == nil {
            addDifferences(of: node, from: request, to: &list)
        }
    }

    /// Returns the number of differences between the pattern and a request.
    func differenceCount(from request: ComparedRequest) -> Int {
        var list = LimitedList(showing: 0)
        addDifferences(from: request, to: &list)
        return list.count
    }

    /// Returns the parameters of the path, or `nil` if the request does not match.
    private func match(_ node: Node, _ compared: ComparedRequest) -> [String: String]? {
        switch node {
        case .method(let method): compared.request.method == method ? [:] : nil
        case .path(let template): template.parameters(in: compared.request.pathSegments)
        case .query(let query): condition(on: query).accepts(compared) ? [:] : nil
        case .condition(let condition): condition.accepts(compared) ? [:] : nil
        case .either(let first, let second): first.match(compared) ?? second.match(compared)
        case .not(let pattern): pattern.match(compared) == nil ? [:] : nil
        }
    }

    /// Adds the differences of a request that does not match.
    private func addDifferences(
        of node: Node, from compared: ComparedRequest, to list: inout LimitedList
    ) {
        let request = compared.request
        switch node {
        case .method(let method):
            list.addDifference("method", expected: "\(method)", got: "\(request.method)")
        case .path(let template):
            list.addDifference(
                "path", expected: template.expectation.distinct.shortened(to: 200),
                got: request.shownPath.shortened(to: 200),
                remark: template.remark(on: request.pathSegments))
        case .query(let query):
            condition(on: query).addDifferences(compared, &list)
        case .condition(let condition):
            condition.addDifferences(compared, &list)
        case .either, .not:
            list.addDifference(expected: node.text.shortened(to: 300), got: request.target)
            guard case .either(let first, let second) = node else { return }
            // If the method and the path match, the target does not show the difference.
            for pattern in [first, second] where pattern.closeness(to: request) == .matching {
                pattern.addDifferences(from: compared, to: &list)
            }
        }
    }

    /// Returns the condition on the query of a request type, which ignores the items that only other
    /// conditions compare.
    private func condition(on query: NamedValues) -> Condition {
        var ignored: Set<ExactText> = []
        for case .condition(let condition) in nodes { ignored.formUnion(condition.names) }
        ignored.subtract(query.values.keys)
        return Condition(label: "", equals: query) { [ignored] in
            ignored.isEmpty ? $0.query : NamedValues("query", $0.queryItems, besides: ignored)
        }
    }
}

extension RequestPattern: CustomStringConvertible {
    /// The pattern in words, with at most 300 characters.
    public var description: String { text.escaped.shortened(to: 300) }

    var text: String {
        if nodes.isEmpty { return problem ?? "any request" }
        var texts = nodes.map(\.text)
        // A method and a path are joined: "GET /users".
        if case .method = nodes[0], nodes.count > 1, case .path = nodes[1] {
            texts[0...1] = ["\(texts[0]) \(texts[1])"]
        }
        return texts.filter { !$0.isEmpty }.joined(separator: ", ")
    }
}

extension RequestPattern.Node {
    var text: String {
        switch self {
        case .method(let method): method.rawValue
        case .path(let template): template.text
        // The text of the path already contains the query.
        case .query: ""
        case .condition(let condition): condition.label()
        case .either(let first, let second): "(\(first.text) or \(second.text))"
        case .not(let pattern): "not (\(pattern.text))"
        }
    }
}
