// snippet.client
import APIKit
import Foundation

nonisolated struct Dog: Codable, Sendable, Equatable {
    var id: Int
    var name: String
}

struct DogsRequest: APIRequest {
    typealias ResponseDataType = [Dog]

    func makeRequest(from breed: String) throws -> URLRequest {
        try URLRequest(.get, "dogs", query: ["breed": breed])
    }
}

struct AddDog: APIRequest {
    typealias ResponseDataType = Void

    func makeRequest(from dog: Dog) throws -> URLRequest {
        try URLRequest(.post, "dogs", body: .json(dog))
    }
}

nonisolated struct DogPatch: Sendable {
    let client: APIClient

    init(session: URLSession = .shared) {
        client = APIClient(
            baseURL: URL(string: "https://api.example.com/v1"),
            transport: session,
            interceptors: [Retry(baseDelay: .milliseconds(1))])
    }

    func dogs(of breed: String) async throws -> [Dog] {
        try await client.load(DogsRequest(), with: breed)
    }

    func add(_ dog: Dog) async throws {
        try await client.load(AddDog(), with: dog)
    }
}
// snippet.end

// snippet.tokens
struct RefreshToken: APIRequest {
    typealias ResponseDataType = String

    func makeRequest(from: Void) throws -> URLRequest {
        try URLRequest(.post, "token")
    }
}

actor Tokens: TokenProvider {
    private var current = "t1"
    private let client: APIClient

    init(client: APIClient) { self.client = client }

    func token() -> String? { current }

    func refresh(replacing token: String) async throws -> String? {
        current = try await client.load(RefreshToken())
        return current
    }
}
// snippet.end

struct PricesRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from symbol: String) throws -> URLRequest {
        try URLRequest(.get, "prices/\(symbol)")
    }
}

struct PedigreeRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from dog: Int) throws -> URLRequest {
        try URLRequest(.get, "dogs/\(dog)/pedigree")
    }
}

// snippet.model
@MainActor final class SearchModel {
    private(set) var dogs: [Dog] = []
    private(set) var search: Task<Void, any Error>?
    private let client: APIClient

    init(client: APIClient) { self.client = client }

    func find(_ breed: String) {
        search?.cancel()
        search = Task {
            let found = try await client.load(DogsRequest(), with: breed)
            // The response may have arrived before the cancellation.
            try Task.checkCancellation()
            dogs = found
        }
    }
}
// snippet.end
