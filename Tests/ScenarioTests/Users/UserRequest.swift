import APIKit
import Foundation

/// Asks for a user.
struct UserRequest: APIRequest {
    typealias ResponseDataType = User

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(.get, "users/\(id)")
    }
}
