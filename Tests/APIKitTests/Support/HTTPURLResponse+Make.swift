import APIKit
import Foundation
import Testing

extension HTTPURLResponse {
    /// A response of which a test says only what it is about.
    static func make(
        _ status: Int = 200,
        url: String = "https://api.example.com/v1/dogs",
        headers: [String: String] = [:]
    ) throws -> HTTPURLResponse {
        try #require(
            HTTPURLResponse(
                url: .make(url), statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
        )
    }
}
