import APIKit
import Foundation

// snippet.transport
/// Responses for previews, demonstrations and UI tests, without a network.
struct DemoTransport: HTTPTransport {
    private var replies: [(method: String?, path: String, body: Data)] = []

    /// Adds a JSON response to the requests of a type with the path for this input.
    mutating func reply<Request: APIRequest>(
        to apiRequest: Request, with input: Request.RequestDataType, _ value: some Encodable
    ) throws {
        let request = try apiRequest.makeRequest(from: input)
        replies.append(
            (request.httpMethod, request.url?.path ?? "", try JSONEncoder().encode(value)))
    }

    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        guard let url = request.url,
            let reply = replies.last(where: {
                $0.method == request.httpMethod && url.path.hasSuffix($0.path)
            }),
            let head = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil,
                headerFields: ["Content-Type": "application/json"])
        else { throw URLError(.resourceUnavailable) }
        return (reply.body, head)
    }
}
// snippet.end

nonisolated struct Pup: Codable, Equatable, Sendable {
    var id: Int
    var name: String
}

struct PupsRequest: APIRequest {
    typealias ResponseDataType = [Pup]

    func makeRequest(from breed: String) throws -> URLRequest {
        try URLRequest(.get, "pups", query: ["breed": breed])
    }
}

// snippet.client
extension APIClient {
    /// The client of the app, with the responses of the demo for the launch argument `-demo`.
    static func app(arguments: [String] = ProcessInfo.processInfo.arguments) throws -> APIClient {
        var client = APIClient(baseURL: URL(string: "https://api.example.com/v1"))
        if arguments.contains("-demo") {
            var demo = DemoTransport()
            try demo.reply(to: PupsRequest(), with: "akita", [Pup(id: 1, name: "Rex")])
            client.transport = demo
        }
        return client
    }
}
// snippet.end
