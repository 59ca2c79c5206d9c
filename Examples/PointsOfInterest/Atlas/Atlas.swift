import APIKit
import Foundation

/// A transport that responds from a list of places, without a network.
struct Atlas: HTTPTransport {
    /// The base URL of requests to the atlas.
    static let baseURL = URL(string: "https://atlas.example")

    /// The places in the atlas.
    var places = Atlas.places

    /// Returns the places that match the query of a request, as JSON.
    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        guard let url = request.url, let query = AtlasQuery(url),
            let head = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1",
                headerFields: ["Content-Type": "application/json"])
        else { throw URLError(.badURL) }
        return (try JSONEncoder().encode(query.select(from: places)), head)
    }
}
