import APIKit
import APIKitTesting
import FlyingFox
import Foundation

/// A request as it arrived, on the wire or at a mock.
struct ReceivedRequest: Sendable {
    let method: String
    /// The path and the query, each character as it was sent.
    let target: String
    let body: Data
    private let headers: HTTPHeaders

    init(_ request: HTTPRequest) async throws {
        method = request.method.rawValue
        target = request.target.rawValue
        headers = request.headers
        body = try await request.bodyData
    }

    init(_ request: RecordedRequest) {
        method = request.method.rawValue
        target = request.path + (request.url.query(percentEncoded: true).map { "?\($0)" } ?? "")
        body = request.body
        var headers = HTTPHeaders()
        for (name, value) in request.headers { headers.addValue(value, for: HTTPHeader(name)) }
        self.headers = headers
    }

    var path: String { String(target.prefix { $0 != "?" }) }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns the value of a header, whatever the case of its name.
    func header(_ name: String) -> String? { headers[HTTPHeader(name)] }
}
