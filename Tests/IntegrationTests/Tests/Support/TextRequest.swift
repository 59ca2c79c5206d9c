import APIKit
import Foundation

/// A request that is written out where it is sent, and whose answer is text.
struct TextRequest: APIRequest {
    typealias ResponseDataType = String

    func makeRequest(from request: URLRequest) -> URLRequest { request }
}
