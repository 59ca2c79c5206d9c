import APIKit
import Foundation

extension HTTPTransport {
    /// Sends a request and returns the status of the response.
    func status(_ request: URLRequest) async throws -> Int? {
        try await (send(request).1 as? HTTPURLResponse)?.statusCode
    }

    /// Sends a GET and returns the body of the response as text.
    func text(_ path: String) async throws -> String {
        try await String(decoding: send(.make("GET", path)).0, as: UTF8.self)
    }
}
