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
    /// A tree of conditions.
    indirect enum Node: Sendable {
        case method(HTTPMethod)
        case path(PathTemplate)
        case expression(PathExpression)
        case condition(Condition)
        case all([Node])
        case either(Node, Node)
        case not(Node)
    }

    let node: Node

    init(_ node: Node) {
        self.node = node
    }

    /// Any request.
    public static let any = RequestPattern(.all([]))

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

    /// A request with a method, whose case does not matter.
    public static func method(_ method: HTTPMethod, _ path: String = "/**") -> RequestPattern {
        RequestPattern(.all([.method(method), .path(PathTemplate(path))]))
    }

    /// A request with any method to a path.
    public static func path(_ path: String) -> RequestPattern {
        RequestPattern(.path(PathTemplate(path)))
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
    /// - Parameter regex: The expression. Write it as a literal, because a stored `Regex` is not
    ///   `Sendable`.
    /// - Returns: The pattern.
    public static func path<Output>(
        matching regex: @autoclosure @escaping @Sendable () -> Regex<Output>
    ) -> RequestPattern {
        RequestPattern(.expression(PathExpression(regex)))
    }

    /// Requests that both patterns match.
    public static func && (first: RequestPattern, second: RequestPattern) -> RequestPattern {
        RequestPattern(.all(first.conditions + second.conditions))
    }

    /// Requests that either pattern matches.
    public static func || (first: RequestPattern, second: RequestPattern) -> RequestPattern {
        RequestPattern(.either(first.node, second.node))
    }

    /// Requests that the pattern does not match.
    public static prefix func ! (pattern: RequestPattern) -> RequestPattern {
        RequestPattern(.not(pattern.node))
    }

    func adding(_ condition: Condition) -> RequestPattern {
        RequestPattern(.all(conditions + [.condition(condition)]))
    }

    /// The conditions that a request must all meet.
    var conditions: [Node] {
        if case .all(let nodes) = node { nodes } else { [node] }
    }

    /// The path that every matching request has, if there is one.
    var path: PathTemplate? {
        for case .path(let template) in conditions { return template }
        return nil
    }
}
