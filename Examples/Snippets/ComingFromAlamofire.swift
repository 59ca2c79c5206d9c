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
