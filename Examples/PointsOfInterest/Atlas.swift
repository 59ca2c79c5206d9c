import APIKit
import Foundation

/// A transport that responds from a list of places, without a network.
///
/// Requests, parsing and errors are the same as with a real server.
struct Atlas: HTTPTransport {
    /// The base URL of requests to the atlas.
    static let baseURL = URL(string: "https://atlas.example")

    /// The places in the atlas.
    var places = Atlas.places

    /// Returns the response to a request.
    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        let response = try response(to: request)
        guard let url = request.url,
            let http = HTTPURLResponse(
                url: url, statusCode: response.status, httpVersion: "HTTP/1.1",
                headerFields: response.headers)
        else { throw URLError(.badURL) }
        return (response.body, http)
    }

    private func response(to request: URLRequest) throws -> Response {
        let components = request.url.flatMap {
            URLComponents(url: $0, resolvingAgainstBaseURL: true)
        }
        let path = components?.path ?? ""
        guard path == "/locations" else {
            return try Response(404, Refusal(error: "the path \"\(path)\" does not exist"))
        }
        guard request.httpMethod == "GET" else {
            return try Response(
                405, Refusal(error: "locations are read-only"), headers: ["Allow": "GET"])
        }
        do {
            let query = try AtlasQuery(components?.queryItems ?? [])
            return try Response(200, query.select(from: places))
        } catch let refusal as Refusal {
            return try Response(400, refusal)
        }
    }
}

extension Atlas {
    private struct Response {
        let status: Int
        let headers: [String: String]
        let body: Data

        init(_ status: Int, _ value: some Encodable, headers: [String: String] = [:]) throws {
            self.status = status
            self.headers = headers.merging(["Content-Type": "application/json"]) { old, _ in old }
            body = try JSONEncoder().encode(value)
        }
    }
}
