import APIKit
import Foundation

nonisolated struct Dog: Codable, Sendable {
    var id: Int
    var name: String
}

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
struct DogRequest: APIRequest {
    typealias ResponseDataType = Dog

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(.get, "dogs/\(id)")
    }
}

let client = APIClient(
    baseURL: URL(string: "https://api.example.com/v1"),
    interceptors: [
        Deadline(.seconds(20)), Retry(), BearerAuthentication(tokens),
    ],
    observers: { call in [LogObserver(call)] })
let dog = try await client.load(DogRequest(), with: 7)
// snippet.end

print(dog)
