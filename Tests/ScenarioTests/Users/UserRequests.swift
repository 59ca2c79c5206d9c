import APIKit
import Foundation

/// Asks for a user.
struct UserRequest: APIRequest {
    typealias ResponseDataType = User

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(.get, "users/\(id)")
    }
}

/// Asks for a user as address books have it.
struct BusinessCardRequest: APIRequest {
    typealias ResponseDataType = String

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(
            .get, "users/\(id)", headers: ["Accept": "text/vcard", "Accept-Language": "en"])
    }
}

/// Creates a user.
struct CreateUserRequest: APIRequest {
    typealias ResponseDataType = User

    func makeRequest(from name: String) throws -> URLRequest {
        try URLRequest(.post, "users", body: .json(["name": name]))
    }
}
