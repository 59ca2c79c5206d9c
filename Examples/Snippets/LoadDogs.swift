import APIKit
import Foundation

// snippet.load
nonisolated struct Dog: Codable, Equatable, Sendable {
    var id: Int
    var name: String
}

struct DogsRequest: APIRequest {
    func makeRequest(from breed: String) throws -> URLRequest {
        try URLRequest(
            .get, "https://api.example.com/v1/dogs", query: ["breed": breed])
    }

    func parseResponse(data: Data) throws -> [Dog] {
        try JSONDecoder().decode([Dog].self, from: data)
    }
}

let loader = APIRequestLoader(apiRequest: DogsRequest(), urlSession: .shared)
let dogs = try await loader.load("akita")
// snippet.end
print(dogs)
