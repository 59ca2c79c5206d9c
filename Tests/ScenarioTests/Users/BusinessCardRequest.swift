import APIKit
import Foundation

/// Asks for a user in the form that address books read.
struct BusinessCardRequest: APIRequest {
    typealias ResponseDataType = String

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(
            .get, "users/\(id)", headers: ["Accept": "text/vcard", "Accept-Language": "en"])
    }
}
