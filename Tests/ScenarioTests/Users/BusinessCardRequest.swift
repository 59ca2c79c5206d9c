import APIKit
import Foundation

/// Requests the business card of a user.
struct BusinessCardRequest: APIRequest {
    typealias ResponseDataType = String

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(
            .get, "users/\(id)", headers: ["Accept": "text/vcard", "Accept-Language": "en"])
    }
}
