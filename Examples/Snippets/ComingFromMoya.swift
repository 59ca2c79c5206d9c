import APIKit
import Foundation

nonisolated struct Dog: Codable, Sendable {
    var id: Int
    var name: String
}

actor Tokens: TokenProvider {
    func token() -> String? { "first" }
}

// snippet.requests
struct DogRequest: APIRequest {
    typealias ResponseDataType = Dog

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(.get, "dogs/\(id)")
    }
}
// snippet.end

func load(tokens: Tokens) async throws {
    // snippet.client
    let client = APIClient(
        baseURL: URL(string: "https://api.example.com/v1"),
        interceptors: [
            BearerAuthentication(tokens, hosts: ["api.example.com"]),
            Coalescing(),
        ],
        observers: { call in [LogObserver(call)] })

    let dog = try await client.load(DogRequest(), with: 42)
    // snippet.end
    print(dog)
}
