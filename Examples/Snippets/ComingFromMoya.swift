import APIKit
import Foundation

nonisolated struct Dog: Codable, Sendable {
    var id: Int
    var name: String
}

// snippet.requests
struct DogRequest: APIRequest {
    typealias ResponseDataType = Dog

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(.get, "dogs/\(id)")
    }
}
// snippet.end

func load(client: APIClient) async throws {
    // snippet.load
    let dog = try await client.load(DogRequest(), with: 42)
    // snippet.end
    print(dog)
}
