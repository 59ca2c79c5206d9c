import APIKit
import Foundation

// snippet.load
struct Dog: Codable, Equatable, Sendable {
    var id: Int
    var name: String
}

struct DogsRequest: APIRequest {
    typealias ResponseDataType = [Dog]

    func makeRequest(from breed: String) throws -> URLRequest {
        try URLRequest(.get, "dogs", query: ["breed": breed])
    }
}

let client = APIClient(baseURL: URL(string: "https://api.example.com/v1"))
let dogs = try await client.load(DogsRequest(), with: "akita")
// snippet.end
print(dogs)
