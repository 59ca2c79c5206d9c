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

// snippet.tokens
actor Tokens: AccountTokenProvider {
    private var current: (token: String, account: String)?

    func accountToken() -> (token: String, account: String)? { current }

    func signIn(_ token: String, as account: String) { current = (token, account) }
}
// snippet.end

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

// snippet.interceptor
struct Language: APIInterceptor {
    let preferred: String
    let fallback: String

    func intercept<Body>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        var call = call
        call.request.setValue(preferred, forHTTPHeaderField: "Accept-Language")
        let response = try await next(call)
        guard response.statusCode == 406 else { return response }
        (response.value as? ByteStream)?.cancel()
        call.request.setValue(fallback, forHTTPHeaderField: "Accept-Language")
        return try await next(call)
    }
}
// snippet.end

func upload(client: APIClient, album: Int, file: URL) async throws {
    // snippet.upload
    let form: MultipartForm = [
        "title": .text("On the beach"), "photo": .file(file, contentType: "image/jpeg"),
    ]
    let photo = try await client.upload(AddPhoto(), with: album, from: .multipart(form)) { sent in
        print(sent.fraction ?? 0)
    }
    // snippet.end
    print(photo)
}
