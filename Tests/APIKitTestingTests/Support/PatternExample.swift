import APIKit
import APIKitTesting
import Foundation
import Testing

/// A pattern, and a request that it matches or refuses.
struct PatternExample: Sendable, CustomTestStringConvertible {
    let pattern: RequestPattern
    let request: URLRequest
    let isMatch: Bool
    var testDescription: String {
        let body = String(decoding: request.httpBody ?? Data(), as: UTF8.self)
        return "\(pattern) \(isMatch ? "matches" : "refuses") "
            + "\(request.httpMethod ?? "") \(request) \(body)"
    }
    static func yes(_ pattern: RequestPattern, _ request: URLRequest) -> PatternExample {
        PatternExample(pattern: pattern, request: request, isMatch: true)
    }
    static func no(_ pattern: RequestPattern, _ request: URLRequest) -> PatternExample {
        PatternExample(pattern: pattern, request: request, isMatch: false)
    }

    /// Sends the request to a server whose only route has the pattern.
    func expectItsResult() async throws {
        #expect(try await pattern.matches(request) == isMatch)
    }
}

extension RequestPattern {
    /// Returns whether a route with the pattern serves a request.
    func matches(_ request: URLRequest) async throws -> Bool {
        let server = MockServer(unhandled: .reply(.status(404)))
        server.on(self, reply: .status(200), times: .anyNumber)
        return try await server.status(request) == 200
    }
}

extension URLRequest {
    static func post(_ body: String, type: String? = nil) -> URLRequest {
        .make(
            "POST", headers: type.map { ["Content-Type": $0] } ?? [:], body: Data(body.utf8))
    }
}
