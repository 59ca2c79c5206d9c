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

// snippet.breeds
struct BreedsRequest: APIRequest {
    typealias ResponseDataType = [String]

    func makeRequest(from: Void) throws -> URLRequest {
        try URLRequest(.get, "breeds")
    }
}
// snippet.end

func load() async throws {
    // snippet.client
    let client = APIClient(
        baseURL: URL(string: "https://api.example.com/v1"),
        headers: ["Accept-Language": "de"])

    let dogs = try await client.load(DogsRequest(), with: "akita")
    let breeds = try await client.load(BreedsRequest())
    // snippet.end
    print(dogs, breeds)
}

func loadWithHead(client: APIClient) async throws {
    // snippet.response
    let response = try await client.response(to: DogsRequest(), with: "akita")
    print(response.statusCode, response.value.count)
    print(response.http.value(forHTTPHeaderField: "X-Total-Count") ?? "unknown")
    // snippet.end
}

func loadTwo(client: APIClient) async throws -> [Dog] {
    // snippet.concurrent
    async let akitas = client.load(DogsRequest(), with: "akita")
    async let boxers = client.load(DogsRequest(), with: "boxer")
    let dogs = try await akitas + boxers
    // snippet.end
    return dogs
}

func vary(client: APIClient) async throws {
    // snippet.vary
    var staging = client
    staging.baseURL = URL(string: "https://staging.example.com/v1")

    let dogs = try await staging.without(Retry.self).load(
        DogsRequest(), with: "akita")
    // snippet.end
    print(dogs)
}

func makeClient() -> APIClient {
    // snippet.session
    let configuration = URLSessionConfiguration.default
    configuration.timeoutIntervalForRequest = 15

    let client = APIClient(
        baseURL: URL(string: "https://api.example.com/v1"),
        transport: URLSession(configuration: configuration))
    // snippet.end
    return client
}
