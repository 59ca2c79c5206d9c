import APIKit
import Foundation

/// The method and the path of a request, without its host, and the operation that it names.
struct RequestTarget {
    let method: String
    let path: [String]
    /// All operations of GraphQL and JSON-RPC have one path.
    private let operation: [String?]

    init(of request: RecordedRequest) {
        method = request.method.rawValue
        path = RecordedRequest.encodedSegments(of: request.url.path)
        let body = request.body.isEmpty ? nil : try? JSONValue(text: request.body)
        func item(_ name: String) -> String? {
            request.queryItems.first { $0.name == name }?.value
        }
        // GraphQL over a GET. Another query has no braces.
        let query = item("query").flatMap { $0.contains("{") ? $0 : nil }
        // JSON-RPC can send several calls at once.
        let names = (body?.elements ?? [body ?? .null]).flatMap { call in
            ["query", "operationName", "method"].map { call.members?[$0]?.text }
        }
        // White space does not tell queries apart.
        operation = ([query, item("operationName")] + names).map { $0?.filter { !$0.isWhitespace } }
    }

    /// Returns whether the paths are equal.
    func isEqual(to other: RequestTarget) -> Bool {
        isSameOperation(as: other) && path == other.path
    }

    /// Returns whether the paths differ only in values that change with each run.
    func isSimilar(to other: RequestTarget) -> Bool {
        isSameOperation(as: other) && path.count == other.path.count
            && zip(path, other.path).allSatisfy { $0 == $1 || Volatility.isSame($1, $0) }
    }

    /// Returns whether a template of a route, such as `/users/{id}`, matches both paths.
    func isJoined(with other: RequestTarget, by template: PathTemplate?) -> Bool {
        guard let template, !template.segments.contains(.rest) else { return false }
        return isSameOperation(as: other) && template.parameters(in: other.path) != nil
    }

    /// Returns whether the paths differ in one segment after the first, such as `/users/bob`.
    func isOfOneKind(as other: RequestTarget) -> Bool {
        isSameOperation(as: other) && path.count == other.path.count
            && path.first == other.path.first
            && zip(path, other.path).count { $0 != $1 && !Volatility.isSame($1, $0) } == 1
    }

    private func isSameOperation(as other: RequestTarget) -> Bool {
        method == other.method && operation == other.operation
    }
}
