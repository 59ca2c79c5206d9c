import FlyingFox
import Foundation

/// A request as it arrived on the wire.
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

    var path: String { String(target.prefix { $0 != "?" }) }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns the value of a header, whatever the case of its name.
    func header(_ name: String) -> String? { headers[HTTPHeader(name)] }
}
