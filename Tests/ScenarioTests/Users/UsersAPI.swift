import APIKit
import APIKitTesting
import Foundation

/// The API of one test: a scripted double, or the real server whose URL is in `USERS_API`.
///
/// The same tests run against both, to show that the double behaves like the real server.
/// `.ci/users-api` starts a server and runs the tests against it.
struct UsersAPI {
    static let realServer = ProcessInfo.processInfo.environment["USERS_API"]
        .flatMap(URL.init(string:))

    /// The double, or `nil` if the tests run against a real server, which needs no script.
    let double: MockServer?

    /// The base URL of the client, which on a real server has a separate path for each test.
    let baseURL: URL?

    /// The session of the client: the double's, or a plain session for a real server.
    let session: URLSession

    init() {
        if let server = Self.realServer {
            double = nil
            baseURL = server.appending(path: UUID().uuidString)
            session = URLSession(configuration: .ephemeral)
        } else {
            let server = MockServer.current
            double = server
            baseURL = URL(string: "https://users.example")
            session = server.session
        }
    }

    /// Waits until the API has received a number of requests, and returns all that it has received.
    func requests(atLeast count: Int) async throws -> [ReceivedRequest] {
        guard let double else {
            let journal = APIClient(baseURL: baseURL, transport: session)
            return try await journal.load(JournalRequest(), with: count)
        }
        while double.requests.count < count { _ = try await double.nextRequest() }
        return double.requests.map { request in
            ReceivedRequest(
                method: request.method.rawValue, path: request.path, headers: request.headers)
        }
    }
}

/// Requests the journal of a real server.
private struct JournalRequest: APIRequest {
    typealias ResponseDataType = [ReceivedRequest]

    func makeRequest(from count: Int) throws -> URLRequest {
        try URLRequest(.get, "journal", query: ["count": count])
    }
}
