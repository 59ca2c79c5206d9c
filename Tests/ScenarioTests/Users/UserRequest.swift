import APIKit
import Foundation

/// Requests a user.
struct UserRequest: APIRequest {
    typealias ResponseDataType = User

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(.get, "users/\(id)")
    }
}
