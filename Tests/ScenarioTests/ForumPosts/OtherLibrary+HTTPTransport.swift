import APIKit
import Foundation

/// The adapter: the only code that the app needs to use another networking library.
extension OtherLibrary.Client: HTTPTransport {
    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        guard let url = request.url else { throw URLError(.badURL) }
        let response = try await execute(
            OtherLibrary.Request(
                method: request.httpMethod ?? "GET",
                url: url.absoluteString,
                headers: request.allHTTPHeaderFields ?? [:],
                body: [UInt8](request.httpBody ?? Data())))
        guard
            let head = HTTPURLResponse(
                url: url, statusCode: response.status, httpVersion: nil,
                headerFields: response.headers)
        else { throw URLError(.badServerResponse) }
        return (Data(response.body), head)
    }
}
