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

extension HTTPTransport {
    /// Sends a request with a client, and returns the response with its text.
    func load(_ request: URLRequest) async throws -> APIResponse<String> {
        try await APIClient(transport: self).response(to: TextRequest(), with: request)
    }
}
