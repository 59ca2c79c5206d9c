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

// snippet.segments
struct DogFile: APIRequest {
    typealias ResponseDataType = Data

    var folder: APIPath = "dogs/files"

    func makeRequest(from path: String) throws -> URLRequest {
        try URLRequest(.get, "\(folder)/\(segments: path)")
    }
}
// snippet.end

// snippet.link
nonisolated struct DogPage: Decodable, Sendable {
    var dogs: [Dog]
    var next: String?
}

struct ListDogs: PagedAPIRequest {
    typealias ResponseDataType = DogPage

    func makeRequest(from page: URL?) throws -> URLRequest {
        if let page { return URLRequest(url: page) }
        return try URLRequest(.get, "dogs")
    }

    func nextInput(after response: APIResponse<DogPage>, from page: URL?) throws
        -> URL??
    {
        try response.value.next.map { try response.http.resolve($0) }
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

struct ResetDogs: APIRequest {
    typealias ResponseDataType = Void

    func makeRequest(from: Void) throws -> URLRequest {
        try URLRequest(
            .put, "dogs", body: .json(text: #"[{"id": 1, "name": "Rex"}]"#))
    }
}
// snippet.end

// snippet.multipart
struct Registration: Sendable {
    var dog: Dog
    var breed: String?
    var tags: [String] = []
    var photo: Data
    var certificates: [URL] = []
}

struct RegisterDog: APIRequest {
    typealias ResponseDataType = Dog

    func makeRequest(from input: Registration) throws -> URLRequest {
        var form: MultipartForm = [
            "name": .text(input.dog.name),
            "breed": input.breed.map { .text($0) },
            "photo": .data(
                input.photo, fileName: "dog.jpg", contentType: "image/jpeg"),
        ]
        for tag in input.tags { form.append("tag", .text(tag)) }
        for url in input.certificates {
            form.append(
                "certificate", .file(url, contentType: "application/pdf"))
        }
        return try URLRequest(
            .post, "registrations", body: .multipart(form))
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
