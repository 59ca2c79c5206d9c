import APIKit
import Foundation

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

func makeCannedTransport() -> CannedTransport {
    // snippet.transport
    let transport = CannedTransport()
        .reply(
            to: PupsRequest(), with: "akita", .json([Pup(id: 1, name: "Rex")])
        )
        .reply(
            to: PupsRequest(), with: "boxer", .status(503).delayed(.seconds(2)))
    // snippet.end
    return transport
}

// snippet.preview
extension APIClient {
    /// A client for the previews of the list.
    static func preview(_ pups: CannedTransport.Response) -> APIClient {
        APIClient(
            baseURL: URL(string: "https://api.example.com/v1"),
            transport: CannedTransport().reply(
                to: PupsRequest(), with: "akita", pups))
    }
}
// snippet.end

// snippet.app
extension APIClient {
    /// The client of the app, with canned responses for `-demo`.
    static func app(arguments: [String] = ProcessInfo.processInfo.arguments)
        -> APIClient
    {
        var client = APIClient(
            baseURL: URL(string: "https://api.example.com/v1"))
        guard let index = arguments.firstIndex(of: "-demo") else {
            return client
        }
        let isOffline = arguments[index...].dropFirst().first == "offline"
        client.transport = CannedTransport().reply(
            to: PupsRequest(), with: "akita",
            isOffline
                ? .failure(URLError(.notConnectedToInternet))
                : .json([Pup(id: 1, name: "Rex")]))
        return client
    }
}
// snippet.end
