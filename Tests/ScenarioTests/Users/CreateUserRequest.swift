import APIKit
import Foundation

/// Creates a user.
struct CreateUserRequest: APIRequest {
    typealias ResponseDataType = User

    func makeRequest(from name: String) throws -> URLRequest {
        try URLRequest(.post, "users", body: .json(["name": name]))
    }
}
