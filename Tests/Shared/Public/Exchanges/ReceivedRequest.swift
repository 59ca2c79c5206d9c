import APIKit
import Foundation

/// A request that a server received.
struct ReceivedRequest: Sendable {
    let method: String
    /// The path and the query, percent-encoded as the client sent them.
    let target: String
    let body: Data
    let headers: [(name: String, value: String)]

    var path: String { String(target.prefix { $0 != "?" }) }

    /// The number at the end of the path, or 0.
    var number: Int { Int(path.drop { !$0.isNumber }) ?? 0 }

    /// The cookies as a text that no recording masks, because it is not that of the field.
    var cookies: String { (header("Cookie") ?? "none").replacing("=", with: ": ") }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns the value of a header field by its case-insensitive name.
    func header(_ name: String) -> String? {
        headers.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }?.value
    }
}

extension ReceivedRequest {
    /// Creates the request that a session without a network has sent.
    init(_ request: URLRequest, body: Data) {
        let path = request.url?.path(percentEncoded: true) ?? ""
        let query = request.url?.query(percentEncoded: true).map { "?\($0)" }
        self.init(
            method: request.httpMethod ?? "GET",
            target: (path.isEmpty ? "/" : path) + (query ?? ""),
            body: body, headers: (request.allHTTPHeaderFields ?? [:]).map { ($0, $1) })
    }
}
