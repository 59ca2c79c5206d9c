import APIKit
import Foundation

/// A request whose input is a `URLRequest` and whose output is text.
struct TextRequest: APIRequest {
    typealias ResponseDataType = String

    func makeRequest(from request: URLRequest) -> URLRequest { request }
}

/// A request whose input is a `URLRequest` and whose output is data.
struct DataRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from request: URLRequest) -> URLRequest { request }
}
