import APIKit
import Foundation

nonisolated struct Dog: Codable, Equatable, Sendable {
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

struct AddDog: APIRequest {
    typealias ResponseDataType = Void

    func makeRequest(from dog: Dog) throws -> URLRequest {
        try URLRequest(.post, "dogs", body: .json(dog))
    }
}
// snippet.end

// snippet.endpoint
struct Endpoint<Output: Decodable & Sendable>: APIRequest {
    typealias ResponseDataType = Output

    var method = HTTPMethod.get
    let path: APIPath
    var query: QueryItems = [:]
    var headers: [String: String] = [:]
    var body: HTTPBody?

    func makeRequest(from: Void) throws -> URLRequest {
        try URLRequest(method, path, query: query, headers: headers, body: body)
    }
}
// snippet.end

func loadOnce(client: APIClient) async throws {
    // snippet.one-off
    let breeds = try await client.load(
        Endpoint<[String]>(path: "breeds", query: ["size": "small"]))
    // snippet.end
    print(breeds)
}

enum NetworkError: Error, Equatable {
    case unauthorized, notFound, server(Int), decoding, offline, other
}

// snippet.errors
extension NetworkError {
    init(_ error: APIError) {
        switch error.kind {
        case .status(401): self = .unauthorized
        case .status(404): self = .notFound
        case .status(let status): self = .server(status)
        case .decoding: self = .decoding
        case .transport where error.urlError?.code == .notConnectedToInternet:
            self = .offline
        case .transport, .deadline, .overloaded, .bodyTooLarge, .notHTTP,
            .invalidRequest, .file:
            self = .other
        @unknown default: self = .other
        }
    }
}
// snippet.end

actor Tokens: AccountTokenProvider {
    private var current: (token: String, account: String)?

    func accountToken() -> (token: String, account: String)? { current }

    func signIn(_ token: String, as account: String) {
        current = (token, account)
    }

    func signOut() { current = nil }
}

// snippet.side-by-side
struct NetworkClient: Sendable {
    let session: URLSession
    let tokens: Tokens
    let client: APIClient

    init(session: URLSession = .shared, tokens: Tokens) {
        self.session = session
        self.tokens = tokens
        client = APIClient(
            baseURL: URL(string: "https://api.example.com/v1"),
            transport: session,
            interceptors: [BearerAuthentication(tokens)])
    }

    // Old: for the endpoints without a request type.
    func get<Value: Decodable>(_ url: URL) async throws -> Value {
        var request = URLRequest(url: url)
        if let token = try await tokens.token() {
            request.setValue(
                "Bearer \(token)", forHTTPHeaderField: "Authorization")
        }
        let (data, _) = try await session.data(for: request)
        return try JSONDecoder().decode(Value.self, from: data)
    }

    // New: no caller changes.
    func dog(_ id: Int) async throws -> Dog {
        try await client.load(DogRequest(), with: id)
    }
}
// snippet.end
