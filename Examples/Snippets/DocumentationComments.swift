// The code in the documentation comments of APIKit.
import APIKit
import Foundation

nonisolated struct Dog: Codable, Sendable {
    var name: String
    var age = 3
    var id = 7
}

struct DogsRequest: APIRequest {
    typealias ResponseDataType = [Dog]

    func makeRequest(from breed: String) throws -> URLRequest {
        try URLRequest(.get, "dogs", query: ["breed": breed])
    }
}

enum Bodies {
    static func json() -> JSONValue {
        // snippet.json
        let body: JSONValue = ["id": 7, "name": "Rex", "tags": ["small", nil], "good": true]
        // snippet.end
        return body
    }

    static func literal(of dog: Dog) -> HTTPBody.JSONLiteral {
        // snippet.literal
        let body: HTTPBody.JSONLiteral = [
            "dog": .json(["id": dog.id, "name": dog.name]),
            "count": 2,
        ]
        // snippet.end
        return body
    }

    static func constants() throws -> URLRequest {
        // snippet.constants
        try URLRequest(.post, "dogs", body: .json(["name": "Rex", "age": 3]))
        // snippet.end
    }

    static func variables(of dog: Dog) throws -> URLRequest {
        // snippet.variables
        try URLRequest(.post, "dogs", body: .json(["name": dog.name, "age": dog.age]))
        // snippet.end
    }

    static func values(name: String, tags: [String], url: URL) -> HTTPBody {
        // snippet.values
        .multipart(["name": name, "tags": tags, "photo": .file(url, contentType: "image/jpeg")])
        // snippet.end
    }
}
