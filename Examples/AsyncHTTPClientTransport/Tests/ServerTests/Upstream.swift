import APIKit
import Foundation

/// A request whose output is text.
struct DogsRequest: APIRequest {
    typealias ResponseDataType = String

    func makeRequest(from breed: String) throws -> URLRequest {
        try URLRequest(.get, "dogs", query: ["breed": breed])
    }
}

struct AddPhoto: APIRequest {
    typealias ResponseDataType = String

    func makeRequest(from: Void) throws -> URLRequest { try URLRequest(.post, "photos") }
}

/// A request for a token of the service, for client credentials.
struct GrantRequest: APIRequest {
    struct Grant: Decodable, Sendable {
        let token: String
        let lifetime: Int
    }

    typealias ResponseDataType = Grant

    func makeRequest(from: Void) throws -> URLRequest {
        try URLRequest(.post, "token", body: .form(["grant_type": "client_credentials"]))
    }
}
