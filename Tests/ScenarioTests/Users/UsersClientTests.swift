import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer) struct UsersClientTests {
    let server = MockServer.current
    let ada = User(id: 1, name: "Ada")

    @Test func decodesAUser() async throws {
        server.on(.get("/users/1"), reply: .real(or: .json(ada)))

        #expect(try await client().user(1) == ada)
    }

    @Test func throwsTheStatusOfAUserThatIsMissing() async throws {
        server.on(
            .get("/users/404"),
            reply: .real(or: .json(["message": "There is no such user."], status: 404)))

        let error = await #expect(throws: APIError.self) { try await client().user(404) }

        #expect(error?.kind == .status(404))
        #expect(try error?.decodeBody(Refusal.self).message == "There is no such user.")
    }

    @Test func throwsTheStatusOfAServerThatFails() async throws {
        server.on(
            .get("/users/500"),
            reply: .real(or: .json(["message": "The database is gone."], status: 500)))

        let error = await #expect(throws: APIError.self) { try await client().user(500) }

        #expect(error?.kind == .status(500))
        #expect(try error?.decodeBody(Refusal.self).message == "The database is gone.")
    }

    @Test func throwsWhatKeptTheAnswerAway() async {
        server.on(.get("/users/502"), reply: .real(or: .failure(.networkConnectionLost)))

        let error = await #expect(throws: APIError.self) { try await client().user(502) }

        #expect(error?.kind == .transport)
        #expect(error?.underlying is URLError)
    }

    @Test func throwsADecodingErrorWithTheBody() async throws {
        server.on(
            .get("/users/200"),
            reply: .real(or: .text("<h1>Down for maintenance</h1>", contentType: "text/html")))

        let error = await #expect(throws: APIError.self) { try await client().user(200) }

        #expect(error?.kind == .decoding)
        #expect(error?.body == Data("<h1>Down for maintenance</h1>".utf8))
    }

    @Test func postsTheNewUser() async throws {
        let create = server.on(
            .post("/users").json(["name": "Linus"]),
            reply: .real(or: .json(User(id: 2, name: "Linus"), status: 201)))

        let user = try await client().createUser(named: "Linus")

        #expect(user == User(id: 2, name: "Linus"))
        #expect(create.requests.count == 1)
    }

    @Test func saysThatItPostsJSON() async throws {
        server.on(
            .post("/users").header("Content-Type", "application/json"),
            reply: .real(or: .json(User(id: 2, name: "Linus"), status: 201)))

        _ = try await client().createUser(named: "Linus")
    }

    @Test func mergesTheHeadersOfARequestWithThoseOfTheClient() async throws {
        let card = "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada\r\nEND:VCARD\r\n"
        let route = server.on(
            .get("/users/1"), reply: .real(or: .text(card, contentType: "text/vcard")))

        #expect(try await client().businessCard(of: 1) == card)

        let request = try #require(route.requests.first)
        #expect(request.header("Accept") == "text/vcard")
        #expect(request.header("Accept-Language") == "en")
        #expect(request.header("X-Client") == "lab/1.0")
    }

    @Test func sendsTheTokenOfItsProvider() async throws {
        server.on(
            .get("/users/1").header("Authorization", "Bearer secret"),
            reply: .real(or: .json(ada)))

        _ = try await client().user(1)
    }

    @Test func retriesThreeTimesUntilTheServerIsBack() async throws {
        let starting = MockResponse.real(or: .status(503))
        let grace = User(id: 503, name: "Grace")
        server.on(
            .get("/users/503"), reply: starting, starting, starting, .real(or: .json(grace)),
            times: 4)
        let clock = ManualClock()
        let retry = Retry(maxAttempts: 4, clock: clock, jitter: \.upperBound)

        async let user = client(retry: retry).user(503)
        for delay in [Duration.seconds(0.5), .seconds(1), .seconds(2)] {
            await clock.untilSleeping()
            clock.advance(by: delay)
        }

        #expect(try await user == grace)
    }

    @Test func givesUpAfterThreeRetries() async throws {
        server.on(.get("/users/500"), reply: .real(or: .status(500)), times: 4)

        await #expect(throws: APIError.self) { try await client().user(500) }
    }

    @Test func doesNotRetryWhatTheServerRefuses() async {
        server.on(.get("/users/404"), reply: .real(or: .status(404)), times: .once)
        server.on(.post("/users"), reply: .real(or: .status(422)), times: .once)

        await #expect(throws: APIError.self) { try await client().user(404) }
        await #expect(throws: APIError.self) { try await client().createUser(named: "") }
    }

    @Test func leavesAtOnceWhenItIsCancelled() async throws {
        server.on(.get("/users/504"), reply: .real(or: .never))

        let client = client()
        let load = Task { try await client.user(504) }
        _ = try await server.nextRequest(.get("/users/504"))
        load.cancel()

        await #expect(throws: CancellationError.self) { try await load.value }
    }

    /// A client whose retries do not wait, unless they are what a test is about.
    private func client(
        retry: Retry = Retry(maxAttempts: 4, jitter: { _ in 0 })
    ) -> UsersClient {
        UsersClient(
            baseURL: UsersAPI.baseURL, session: server.session, tokens: LabToken(), retry: retry)
    }
}

private struct LabToken: TokenProvider {
    func token() -> String? { "secret" }
}

private struct Refusal: Decodable {
    let message: String
}
