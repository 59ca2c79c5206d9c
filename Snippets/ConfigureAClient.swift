import APIKit
import Foundation

actor Tokens: TokenProvider {
    private var current = "first"

    func token() -> String? { current }

    func refresh(replacing token: String) async throws -> String? {
        current = "second"
        return current
    }
}

let tokens = Tokens()

// snippet.client
let client = APIClient(
    baseURL: URL(string: "https://api.example.com/v1"),
    interceptors: [Deadline(.seconds(20)), Retry(), BearerAuthentication(tokens)],
    observers: { call in [LogObserver(call)] })
// snippet.end

_ = client
