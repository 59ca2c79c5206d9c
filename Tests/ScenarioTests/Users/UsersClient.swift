import APIKit
import Foundation

/// The client of the users API.
struct UsersClient: Sendable {
    private let client: APIClient

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that the paths of requests are relative to.
    ///   - session: The session that sends the requests.
    ///   - tokens: The source of the bearer token.
    ///   - retry: The rule for retries. The default has four attempts, so three retries.
    init(
        baseURL: URL?,
        session: URLSession = .shared,
        tokens: any TokenProvider,
        retry: Retry = Retry(maxAttempts: 4)
    ) {
        client = APIClient(
            baseURL: baseURL,
            headers: ["Accept": "application/json", "X-Client": "lab/1.0"],
            transport: session,
            interceptors: [retry, BearerAuthentication(tokens)])
    }

    func user(_ id: Int) async throws -> User {
        try await client.load(UserRequest(), with: id)
    }

    func businessCard(of id: Int) async throws -> String {
        try await client.load(BusinessCardRequest(), with: id)
    }

    func createUser(named name: String) async throws -> User {
        try await client.load(CreateUserRequest(), with: name)
    }
}
