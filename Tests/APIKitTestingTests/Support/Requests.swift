import APIKit
import Foundation

extension URLRequest {
    /// Makes a request to a host that does not exist.
    static func make(
        _ method: String = "GET",
        _ path: String = "/",
        headers: [String: String] = [:],
        body: Data? = nil
    ) -> URLRequest {
        var request = URLRequest(url: .make(path))
        request.httpMethod = method
        request.allHTTPHeaderFields = headers
        request.httpBody = body
        return request
    }
}

extension URL {
    /// Makes a URL from a path or an absolute URL.
    static func make(_ path: String) -> URL {
        URL(string: path, relativeTo: URL(string: "https://api.example.com"))?.absoluteURL
            ?? URL(fileURLWithPath: path)
    }
}

extension HTTPTransport {
    /// Sends a request, and returns the status of the response.
    func status(_ request: URLRequest) async throws -> Int? {
        try await (send(request).1 as? HTTPURLResponse)?.statusCode
    }

    /// Sends a GET request, and returns the body of the response as text.
    func text(_ path: String) async throws -> String {
        try await String(decoding: send(.make("GET", path)).0, as: UTF8.self)
    }
}

extension Duration {
    /// Values that overflow in unchecked arithmetic.
    static let extremes: [Duration] = [
        .seconds(Int64.max), .seconds(Int64.max) * 15, .milliseconds(Int64.max), .nanoseconds(-1),
        .seconds(Int64.min), .seconds(Int64.min) * 15,
    ]
}

/// The value that tests send and receive as JSON.
struct User: Codable, Equatable {
    var id: Int
    var name: String
}
