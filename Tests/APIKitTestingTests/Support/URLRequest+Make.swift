import APIKit
import Foundation

extension URLRequest {
    /// A request to a host that does not exist, of which a test says only what it is about.
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
    /// A URL for a path, or the URL itself if it has a scheme.
    static func make(_ path: String) -> URL {
        URL(string: path, relativeTo: URL(string: "https://api.example.com"))?.absoluteURL
            ?? URL(fileURLWithPath: path)
    }
}
