import APIKit
import FlyingFox
import Foundation

/// A request that a server received.
struct ReceivedRequest: Sendable {
    let method: String
    /// The path and the query, percent-encoded as the client sent them.
    let target: String
    let body: Data
    private let headers: HTTPHeaders

    init(_ request: HTTPRequest) async throws {
        method = request.method.rawValue
        target = request.target.rawValue
        headers = request.headers
        body = try await request.bodyData
    }

    init(method: String, target: String, body: Data, headers: [String: String]) {
        self.method = method
        self.target = target
        self.body = body
        self.headers = headers.reduce(into: HTTPHeaders()) {
            $0.addValue($1.value, for: HTTPHeader($1.key))
        }
    }

    var path: String { String(target.prefix { $0 != "?" }) }

    /// The cookies as a text that no recording masks, because it is not that of the field.
    var cookies: String { (header("Cookie") ?? "none").replacing("=", with: ": ") }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns the value of a header field by its case-insensitive name.
    func header(_ name: String) -> String? { headers[HTTPHeader(name)] }
}

actor RequestLog {
    /// The received requests, oldest first.
    private(set) var requests: [ReceivedRequest] = []
    private var waiting: [AsyncStream<Void>.Continuation] = []

    /// Yields for each request from now on, and once at the start if there are requests.
    var arrivals: AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        if !requests.isEmpty { continuation.yield() }
        waiting.append(continuation)
        return stream
    }

    func append(_ request: ReceivedRequest) {
        requests.append(request)
        for continuation in waiting { continuation.yield() }
    }
}
