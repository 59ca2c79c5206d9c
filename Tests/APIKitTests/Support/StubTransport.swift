import APIKit
import Foundation

/// A transport that is a closure, for answers that no server can give.
struct StubTransport: HTTPTransport {
    let answer: @Sendable (URLRequest) async throws -> (Data, URLResponse)

    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try await answer(request)
    }
}
