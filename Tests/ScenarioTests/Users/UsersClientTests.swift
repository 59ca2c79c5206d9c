import APIKit
import APIKitTesting
import Foundation
import Testing

/// Tests of the client with a double of its server.
@Suite(.mockServer) struct UsersClientTests {
    let server = MockServer.current
    let ada = User(id: 1, name: "Ada")

    /// Creates a client whose retries do not wait by default.
    private func client(retry: Retry = Retry(maxAttempts: 4, jitter: { 0 })) -> UsersClient {
        UsersClient(
            baseURL: URL(string: "https://users.example"), session: server.session,
            tokens: LabToken(), retry: retry)
    }
}

private struct LabToken: TokenProvider {
    func token() -> String? { "secret" }
}

private struct Refusal: Decodable {
    let message: String
}

// MARK: - Responses and failures

extension UsersClientTests {
    @Test func userIsDecoded() async throws {
        server.on(.get("/users/1"), reply: .json(ada))

        #expect(try await client().user(1) == ada)
    }

    @Test func missingUserThrowsItsStatusAndItsBody() async throws {
        server.on(
            .get("/users/404"), reply: .json(["message": "There is no such user."], status: 404))

        let error = await #expect(throws: APIError.self) { try await client().user(404) }

        #expect(error?.kind == .status(404))
        #expect(try error?.decodeBody(Refusal.self).message == "There is no such user.")
    }

    @Test func failingServerThrowsItsStatusAndItsBody() async throws {
        server.on(
            .get("/users/500"), reply: .json(["message": "The database is gone."], status: 500))

        let error = await #expect(throws: APIError.self) { try await client().user(500) }

        #expect(error?.kind == .status(500))
        #expect(try error?.decodeBody(Refusal.self).message == "The database is gone.")
    }

    @Test func lostConnectionThrowsTheURLError() async {
        server.on(.get("/users/502"), reply: .failure(.networkConnectionLost))

        let error = await #expect(throws: APIError.self) { try await client().user(502) }

        #expect(error?.kind == .transport)
        #expect(error?.underlying is URLError)
    }

    @Test func bodyThatIsNotJSONThrowsADecodingErrorWithTheBody() async throws {
        server.on(
            .get("/users/200"),
            reply: .text("<h1>Down for maintenance</h1>", contentType: "text/html"))

        let error = await #expect(throws: APIError.self) { try await client().user(200) }

        #expect(error?.kind == .decoding)
        #expect(error?.body == Data("<h1>Down for maintenance</h1>".utf8))
    }
}

// MARK: - Requests

extension UsersClientTests {
    @Test func newUserIsPostedAsJSON() async throws {
        server.on(
            .post("/users").header("Content-Type", "application/json").json(["name": "Linus"]),
            reply: .json(User(id: 2, name: "Linus"), status: 201))

        let user = try await client().createUser(named: "Linus")

        #expect(user == User(id: 2, name: "Linus"))
        #expect(server.requests.map(\.method) == [.post])
    }

    @Test func headersOfTheRequestOverrideThoseOfTheClient() async throws {
        let card = "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada\r\nEND:VCARD\r\n"
        server.on(.get("/users/1"), reply: .text(card, contentType: "text/vcard"))

        #expect(try await client().businessCard(of: 1) == card)

        let request = try #require(server.requests.first)
        #expect(request.headers["Accept"] == "text/vcard")
        #expect(request.headers["Accept-Language"] == "en")
        #expect(request.headers["X-Client"] == "lab/1.0")
    }

    @Test func requestCarriesTheTokenOfTheProvider() async throws {
        server.on(
            .get("/users/1").header("Authorization", "Bearer secret"), reply: .json(ada))

        _ = try await client().user(1)
    }
}

// MARK: - Retries

extension UsersClientTests {
    @Test func threeRetriesReachAServerThatRecovers() async throws {
        let grace = User(id: 503, name: "Grace")
        server.on(
            .get("/users/503"), reply: .status(503), .status(503), .status(503), .json(grace))
        let clock = ManualClock()
        let retry = Retry(maxAttempts: 4, clock: clock, jitter: { 1 })

        async let user = client(retry: retry).user(503)
        for delay in [Duration.seconds(0.5), .seconds(1), .seconds(2)] {
            #expect(await clock.advanceToNextDeadline() == delay)
        }

        #expect(try await user == grace)
        #expect(server.requests.count == 4)
    }

    @Test func failingServerReceivesThreeRetries() async throws {
        server.on(.get("/users/500"), reply: .status(500))

        await #expect(throws: APIError.self) { try await client().user(500) }

        #expect(server.requests.count == 4)
    }

    @Test func lostConnectionIsRetriedThreeTimes() async throws {
        server.on(.get("/users/502"), reply: .failure(.networkConnectionLost))

        await #expect(throws: APIError.self) { try await client().user(502) }

        #expect(server.requests.count == 4)
    }

    @Test func refusedRequestIsNotRetried() async throws {
        server.on(.get("/users/404"), reply: .status(404))
        server.on(.post("/users"), reply: .status(422))

        await #expect(throws: APIError.self) { try await client().user(404) }
        await #expect(throws: APIError.self) { try await client().createUser(named: "") }

        let requests = server.requests
        #expect(requests.map { "\($0.method) \($0.path)" } == ["GET /users/404", "POST /users"])
    }

    /// Two 4xx statuses are retried, because they concern the time of the request, not its content.
    ///
    /// A client may repeat a request after a 408 (RFC 9110, section 15.5.9), and after the
    /// `Retry-After` of a 429 (RFC 6585, section 4).
    @Test(arguments: [408, 429])
    func timeRelatedStatusIsRetried(status: Int) async throws {
        let grace = User(id: status, name: "Grace")
        server.on(.get("/users/\(status)"), reply: .status(status), .json(grace))

        #expect(try await client().user(status) == grace)
        #expect(server.requests.count == 2)
    }
}

// MARK: - Cancellation

extension UsersClientTests {
    @Test func canceledLoadThrowsWithoutAResponse() async throws {
        server.on(.get("/users/504"), reply: .never)

        let client = client()
        let load = Task { try await client.user(504) }
        _ = try await server.nextRequest()
        load.cancel()

        await #expect(throws: CancellationError.self) { try await load.value }
    }

    @Test func canceledLoadStopsWaitingForItsRetry() async throws {
        server.on(.get("/users/500"), reply: .status(500))
        let clock = ManualClock()

        let client = client(retry: Retry(clock: clock))
        let load = Task { try await client.user(500) }
        await clock.waitForSleepers()
        load.cancel()

        await #expect(throws: CancellationError.self) { try await load.value }
        #expect(server.requests.count == 1)
    }
}
