import APIKit
import Foundation

nonisolated struct Dog: Codable, Sendable {
    var id: Int
    var name: String
}

nonisolated struct Photo: Decodable, Sendable {
    var id: Int
}

// snippet.request
struct DogsRequest: APIRequest {
    typealias ResponseDataType = [Dog]

    func makeRequest(from breed: String) throws -> URLRequest {
        try URLRequest(.get, "dogs", query: ["breed": breed])
    }
}
// snippet.end

struct AddPhoto: APIRequest {
    typealias ResponseDataType = Photo

    func makeRequest(from album: Int) throws -> URLRequest {
        try URLRequest(.post, "albums/\(album)/photos")
    }
}

func load(client: APIClient) async throws {
    // snippet.load
    let dogs = try await client.load(DogsRequest(), with: "akita")
    // snippet.end
    print(dogs)
}

actor Tokens: AccountTokenProvider {
    private var current: (token: String, account: String)?

    func accountToken() -> (token: String, account: String)? { current }

    func signIn(_ token: String, as account: String) { current = (token, account) }
}

func share(tokens: Tokens) -> APIClient {
    // snippet.share
    let configuration = URLSessionConfiguration.default
    let client = APIClient(
        baseURL: URL(string: "https://api.example.com/v1"),
        transport: URLSession(configuration: configuration),
        interceptors: [BearerAuthentication(tokens)])
    // snippet.end
    return client
}
