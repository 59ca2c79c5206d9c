import APIKit
import Foundation

struct Dog: Codable, Sendable {
    var id: Int
    var name: String
}

struct Photo: Decodable, Sendable {
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

// snippet.interceptor
struct Language: APIInterceptor {
    let preferred: String
    let fallback: String

    func intercept<Body>(
        _ call: APICall,
        next: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
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
        .text("title", "On the beach"), .file("photo", file, contentType: "image/jpeg"),
    ]
    let photo = try await client.upload(AddPhoto(), with: album, from: .multipart(form)) { sent in
        print(sent.fraction ?? 0)
    }
    // snippet.end
    print(photo)
}
