import APIKit
import Foundation

nonisolated struct Dog: Codable, Sendable, Equatable {
    var id: Int
    var name: String
}

// snippet.request
struct DogsRequest: APIRequest {
    typealias ResponseDataType = [Dog]

    func makeRequest(from breed: String) throws -> URLRequest {
        try URLRequest(.get, "dogs", query: ["breed": breed])
    }
}
// snippet.end

// snippet.path
struct DogByName: APIRequest {
    typealias ResponseDataType = Dog

    func makeRequest(from name: String) throws -> URLRequest {
        try URLRequest(.get, "dogs/\(name)")
    }
}
// snippet.end

// snippet.query
struct DogQuery: Sendable {
    enum Order: String, QueryValue {
        case name, age
    }

    var breed: String?
    var tags: [String] = []
    var order = Order.name
}

struct FindDogs: APIRequest {
    typealias ResponseDataType = [Dog]

    func makeRequest(from query: DogQuery) throws -> URLRequest {
        try URLRequest(
            .get, "dogs",
            query: [
                "breed": query.breed, "tag": query.tags, "order": query.order,
            ])
    }
}
// snippet.end

// snippet.body
struct UpdateDog: APIRequest {
    typealias ResponseDataType = Dog

    func makeRequest(from dog: Dog) throws -> URLRequest {
        try URLRequest(
            .put, "dogs/\(dog.id)",
            headers: ["Prefer": "return=representation"],
            body: .json(dog))
    }
}
// snippet.end

// snippet.json
struct AdoptDog: APIRequest {
    typealias ResponseDataType = JSONValue

    func makeRequest(from dog: Dog) throws -> URLRequest {
        try URLRequest(
            .post, "adoptions",
            body: .json([
                "dog": .json(["id": dog.id, "name": dog.name]),
                "fee": 49.5,
            ]))
    }
}
// snippet.end

// snippet.head
struct CountDogs: APIRequest {
    typealias ResponseDataType = Int

    func makeRequest(from breed: String) throws -> URLRequest {
        try URLRequest(.head, "dogs", query: ["breed": breed])
    }

    func parseResponse(_ response: APIResponse<Data>) throws -> Int {
        let header = response.http.value(forHTTPHeaderField: "X-Total-Count")
        guard let count = header.flatMap({ Int($0) }) else {
            throw URLError(.cannotParseResponse)
        }
        return count
    }
}
// snippet.end

// snippet.api
nonisolated protocol DogPatchRequest: APIRequest {}

nonisolated extension DogPatchRequest {
    var decoder: any ResponseDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}
// snippet.end

struct ListBreeds: DogPatchRequest {
    typealias ResponseDataType = [String]

    func makeRequest(from: Void) throws -> URLRequest {
        try URLRequest(.get, "breeds")
    }
}
