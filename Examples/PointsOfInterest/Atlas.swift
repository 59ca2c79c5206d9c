import APIKit
import Foundation

/// A server in a value: it answers requests from a list of places, and no network is involved.
///
/// To the client it is a transport like any other, so request types, parsing and errors are the
/// very same as with a real server.
struct Atlas: HTTPTransport {
    /// The URL that the atlas pretends to be at.
    static let baseURL = URL(string: "https://atlas.example")

    /// The places in the atlas.
    var places = Atlas.places

    /// Answers a request as a server would.
    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        let answer = try answer(to: request)
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: answer.status, httpVersion: "HTTP/1.1",
                headerFields: answer.headers)
        else { throw URLError(.badURL) }
        return (answer.body, response)
    }

    private func answer(to request: URLRequest) throws -> AtlasAnswer {
        let components = request.url.flatMap {
            URLComponents(url: $0, resolvingAgainstBaseURL: true)
        }
        let path = components?.path ?? ""
        guard path == "/locations" else {
            return try AtlasAnswer(404, Refusal(error: "there is nothing at \"\(path)\""))
        }
        guard request.httpMethod == "GET" else {
            return try AtlasAnswer(
                405, Refusal(error: "locations can only be read"), headers: ["Allow": "GET"])
        }
        do {
            let query = try AtlasQuery(components?.queryItems ?? [])
            return try AtlasAnswer(200, query.select(from: places))
        } catch let refusal as Refusal {
            return try AtlasAnswer(400, refusal)
        }
    }
}
