import APIKit
import Foundation
import Testing

extension URLRequest {
    /// A request of which a test says only what it is about.
    static func make(
        _ method: String = "GET",
        _ url: String = "https://api.example.com/v1/dogs",
        headers: [String: String] = [:],
        body: Data? = nil
    ) throws -> URLRequest {
        var request = URLRequest(url: try .make(url))
        request.httpMethod = method
        request.allHTTPHeaderFields = headers
        request.httpBody = body
        return request
    }
}

extension URL {
    /// The URL of a text, which the test is wrong about if it is none.
    static func make(_ text: String) throws -> URL {
        try #require(URL(string: text))
    }
}
