import APIKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct ChallengeTests {
    /// Accepts the credential `rex`, and responds to any other request with a challenge.
    private func guarded(by challenge: String) -> LocalServer.Responder {
        { request in
            request.header("Authorization") == "Basic cmV4OmJvbmU="
                ? .text("welcome")
                : .text("who are you", status: 401, headers: ["WWW-Authenticate": challenge])
        }
    }

    private static let basic = #"Basic realm="x""#
    private static let tom = URLCredential(user: "tom", password: "fish", persistence: .none)

    /// Expects that a request ends with 401, after requests with these `Authorization` fields.
    private func expect401(
        challenge: String = basic, delegate: ChallengeDelegate? = nil, method: String = "GET",
        after authorizations: [String?]? = nil
    ) async throws {
        try await LocalServer.run(respond: guarded(by: challenge)) { server in
            let error = await #expect(throws: APIError.self) {
                try await URLSession.make(delegate: delegate).load(
                    server.request("/dogs", method: method))
            }

            #expect(error?.kind == .status(401))
            #expect(error?.body == Data((method == "HEAD" ? "" : "who are you").utf8))
            #expect(error?.response?.value(forHTTPHeaderField: "WWW-Authenticate") == challenge)
            if let authorizations {
                let sent = await server.requests.map { $0.header("Authorization") }
                #expect(sent == authorizations)
            }
        }
    }

    @Test(arguments: [#"Bearer realm="x""#, #"Digest realm="x", qop="auth", nonce="n""#])
    func credentialForAnotherSchemeEndsWith401(challenge: String) async throws {
        let delegate = ChallengeDelegate { challenge in
            challenge.previousFailureCount == 0
                ? (.useCredential, .rex) : (.performDefaultHandling, nil)
        }
        try await expect401(challenge: challenge, delegate: delegate)
    }

    @Test func challengeOfAHeadRequestEndsWith401() async throws {
        try await expect401(method: "HEAD", after: [nil])
    }

    @Test(arguments: [
        URLSession.AuthChallengeDisposition.performDefaultHandling, .rejectProtectionSpace,
    ])
    func wrongCredentialEndsWith401(
        disposition: URLSession.AuthChallengeDisposition
    ) async throws {
        let delegate = ChallengeDelegate { challenge in
            challenge.previousFailureCount == 0 ? (.useCredential, Self.tom) : (disposition, nil)
        }
        try await expect401(delegate: delegate, after: [nil, "Basic dG9tOmZpc2g="])
    }

    @Test(arguments: ["GET", "POST"], TransportUnderTest.allCases)
    func sessionUsesTheCredentialOfItsDelegate(method: String, kind: TransportUnderTest)
        async throws
    {
        let delegate = ChallengeDelegate { _ in (.useCredential, .rex) }
        try await LocalServer.run(respond: guarded(by: Self.basic)) { server in
            let session = URLSession.make(cache: kind.cache, delegate: delegate)
            let text = method == "POST" ? "Rex" : ""
            let request = try server.request(
                "/dogs", method: method, body: text.isEmpty ? nil : Data(text.utf8))

            let response = try await session.load(request)

            #expect(response.value == "welcome")
            #expect(await server.requests.map(\.text) == [text, text])
        }
    }

    @Test func delegateCanReplaceAWrongCredential() async throws {
        let delegate = ChallengeDelegate { challenge in
            (.useCredential, challenge.previousFailureCount == 0 ? Self.tom : .rex)
        }
        try await LocalServer.run(respond: guarded(by: Self.basic)) { server in
            let response = try await URLSession.make(delegate: delegate).load(
                server.request("/dogs"))

            #expect(response.value == "welcome")
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func credentialAfterACancellationIsNotSent(kind: TransportUnderTest) async throws {
        let (challenges, isChallenged) = AsyncStream.makeStream(of: Void.self)
        let (gate, opener) = AsyncStream.makeStream(of: Never.self)
        let delegate = ChallengeDelegate { _ in
            isChallenged.yield()
            for await _ in gate {}
            return (.useCredential, .rex)
        }
        try await LocalServer.run(respond: guarded(by: Self.basic)) { server in
            let session = URLSession.make(cache: kind.cache, delegate: delegate)
            let request = try server.request("/dogs")
            let load = Task { try await session.load(request) }

            for await _ in challenges { break }
            load.cancel()
            await #expect(throws: CancellationError.self) { try await load.value }
            opener.finish()
            session.finishTasksAndInvalidate()
            for await _ in delegate.invalidation {}

            #expect(await server.requests.count == 1)
        }
    }

    @Test func credentialOfTheDelegateIsNotSentToAnotherOrigin() async throws {
        let delegate = ChallengeDelegate { _ in (.useCredential, .rex) }
        try await LocalServer.run(respond: { _ in .text("there") }) { other in
            let location = other.baseURL.appending(path: "end").absoluteString
            try await LocalServer.run(respond: { request in
                request.header("Authorization") == nil
                    ? try await guarded(by: Self.basic)(request)
                    : .redirect(to: location)
            }) { server in
                let response = try await URLSession.make(delegate: delegate).load(
                    server.request("/start"))

                #expect(response.value == "there")
                #expect(await other.requests.map { $0.header("Authorization") } == [nil])
            }
        }
    }
}
