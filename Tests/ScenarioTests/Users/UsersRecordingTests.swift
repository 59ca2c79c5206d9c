import APIKit
import APIKitTesting
import Foundation
import Testing
import XCTest

/// Tests of the client with recordings of a real server, in the folder `Recordings`.
///
/// No route describes what the server does. The recordings contain a placeholder for the token, which
/// every token matches.
struct UsersRecordingTests {
    @Test(.mockServer(replaying: "new-user")) func newUserIsCreated() async throws {
        let client = UsersClient.recorded(by: .current)

        let user = try await client.createUser(named: "Linus")

        #expect(user == User(id: 2, name: "Linus"))
        MockServer.current.verify(.post("/users").json(["name": "Linus"]))
    }

    @Test(.mockServer(replaying: "business-card")) func businessCardIsText() async throws {
        let client = UsersClient.recorded(by: .current)

        let user = try await client.user(1)
        let card = try await client.businessCard(of: user.id)

        #expect(card.contains("FN:\(user.name)\r\n"))
    }

    /// The entries for equal requests replay in their order.
    @Test(.mockServer(replaying: "recovering-server")) func retriesReachAServerThatRecovers()
        async throws
    {
        let client = UsersClient.recorded(by: .current)

        #expect(try await client.user(503).name == "Grace")

        #expect(MockServer.current.requests.count == 4)
    }

    /// A route replaces an entry, to test a failure that the real server did not have.
    @Test(.mockServer(replaying: "business-card")) func routeReplacesAnEntry() async throws {
        let client = UsersClient.recorded(by: .current)
        MockServer.current.on(
            .get("/users/1").header("Accept", "text/vcard"), reply: .status(500), times: 4)

        let user = try await client.user(1)

        #expect(user.name == "Ada")
        await #expect(throws: APIError.self) { try await client.businessCard(of: user.id) }
    }
}

/// A test of XCTest with a recording.
final class UsersRecordingXCTests: XCTestCase {
    func testMissingUserThrowsItsStatusAndItsBody() async {
        let server = mockServer(replaying: "missing-user")

        do {
            _ = try await UsersClient.recorded(by: server).user(404)
            XCTFail("The user exists.")
        } catch let error as APIError {
            XCTAssertEqual(error.kind, .status(404))
            XCTAssertEqual(error.body, Data(#"{"message": "There is no such user."}"#.utf8))
        } catch {
            XCTFail("\(error)")
        }
    }
}

extension UsersClient {
    /// Creates a client of the recorded server.
    fileprivate static func recorded(by server: MockServer) -> UsersClient {
        UsersClient(
            baseURL: URL(string: "https://users.example"),
            session: server.session, tokens: AnyToken(),
            retry: Retry(maxAttempts: 4, jitter: { 0 }))
    }
}

private struct AnyToken: TokenProvider {
    func token() -> String? { "token-\(UUID())" }
}
