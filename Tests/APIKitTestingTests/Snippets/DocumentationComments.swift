// The code in the documentation comments of APIKitTesting.
import APIKit
import APIKitTesting
import Foundation
import Testing
import XCTest

private struct UserRequest: APIRequest {
    typealias ResponseDataType = User

    func makeRequest(from id: Int) throws -> URLRequest { try URLRequest(.get, "users/\(id)") }
}

private struct UsersClient: Sendable {
    var session: URLSession

    func user(_ id: Int) async throws -> User {
        try await APIClient(baseURL: URL(string: "https://api.example.com"), transport: session)
            .load(UserRequest(), with: id)
    }
}

struct DocumentationComments {
    // snippet.suite
    @Suite(.mockServer) struct UsersTests {
        let server = MockServer.current

        @Test func decodesAUser() async throws {
            server.on(.get("/users/42"), reply: .json(User(id: 42, name: "Ada")))
            #expect(try await UsersClient(session: server.session).user(42).name == "Ada")
        }
    }
    // snippet.end

    // snippet.replaying
    @Test(.mockServer(replaying: "dogs")) func loadsTheDogsOfABreed() async throws {
        let patch = DogPatch(session: MockServer.current.session)
        #expect(try await patch.dogs(of: "akita").count == 1)
    }
    // snippet.end

    @Test func clockAdvancesToALateResponse() async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(
            .get("/users/1"), reply: .json(User(id: 1, name: "Ada")).delayed(.seconds(3_600)))
        let client = UsersClient(session: server.session)

        // snippet.clock
        async let user = client.user(1)  // arrives after an hour
        await clock.advanceToNextDeadline()
        #expect(try await user.name == "Ada")
        // snippet.end
    }

    enum XCTests {
        // snippet.xctest
        final class UsersTests: XCTestCase {
            lazy var server = mockServer()
        }
        // snippet.end
    }
}

/// Code that compiles, and whose effect other tests check.
private enum Parts {
    static func handler(data: Data) -> URLSessionConfiguration {
        // snippet.handler
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        MockURLProtocol.requestHandler = { request in (HTTPURLResponse(), data) }
        // snippet.end
        return configuration
    }

    static func routes(server: MockServer, rex: Dog, dogs: [Dog]) {
        // snippet.request
        server.on(.request(DogsRequest(), with: "akita"), reply: .json([rex]))
        // snippet.end
        // snippet.resource
        server.on(.get("/dogs"), reply: .resource(.json(dogs).header("ETag", #""v1""#)))
        // snippet.end
        // snippet.cassette
        server.replay(Cassette("users", redacting: .secrets.adding(values: ["ssn"])))
        // snippet.end
    }

    static func conditions(user: User) throws -> RequestPattern {
        // snippet.pattern
        .post("/users/{id}").header("Authorization", .prefix("Bearer ")).json(user)
        // snippet.end
    }

    static func components() -> Cassette {
        // snippet.components
        Cassette("dogs", matching: [.method, .url, .body, .ignoring("ts", "nonce")])
        // snippet.end
    }

    static func path() -> RequestPattern {
        // snippet.jsonPath
        .post("/users").json(at: "user.addresses[0].city", "San José")
        // snippet.end
    }

    static func recorder(of server: MockServer) -> (CallRecorder, APIClient) {
        // snippet.recorder
        let recorder = CallRecorder()
        let client = APIClient(transport: server.session, observers: { _ in [recorder] })
        // snippet.end
        return (recorder, client)
    }

    static func expression() -> RequestPattern {
        // snippet.expression
        .get() && .path(matching: #//dogs/(?<id>\d+)/#)
        // snippet.end
    }

    static func response(user: User) throws -> MockResponse {
        // snippet.response
        .json(user, status: 201).header("Location", "/users/7").delayed(.seconds(2))
        // snippet.end
    }

    #if compiler(>=6.2)
    static func archive(of server: MockServer) throws {
        // snippet.archive
        Attachment.record(try server.har(), named: "traffic.har")
        // snippet.end
    }
    #endif
}
