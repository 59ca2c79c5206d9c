import APIKit
import Foundation

/// A request whose output is text.
struct DogsRequest: APIRequest {
    typealias ResponseDataType = String

    func makeRequest(from breed: String) throws -> URLRequest {
        try URLRequest(.get, "dogs", query: ["breed": breed])
    }
}
