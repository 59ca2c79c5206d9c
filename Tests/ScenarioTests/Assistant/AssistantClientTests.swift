import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer) struct AssistantClientTests {
    let server = MockServer.current
    let taxes = Conversation(id: "c1", title: "Taxes")
    let garden = Conversation(id: "c2", title: "Garden")
    let holiday = Conversation(id: "c3", title: "Holiday")

    private func client(
        of server: MockServer? = nil, retry: Retry = Retry()
    ) -> AssistantClient {
        AssistantClient(
            transport: (server ?? self.server).session,
            session: AssistantSession(token: "t1", refreshToken: "r1"), retry: retry)
    }
}

// MARK: - Tokens that expire

extension AssistantClientTests {
    @Test func oneRefreshRenewsTheTokenOfManyRefusedCalls() async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(
            .get("/v1/conversations").header("Authorization", "Bearer t1"),
            reply: .status(401).delayed(.seconds(1)), times: 20)
        server.on(
            .post("/v1/sessions").form("refresh_token", "r1"),
            reply: .json(AssistantSession(token: "t2", refreshToken: "r2")), times: .once)
        server.on(
            .get("/v1/conversations").header("Authorization", "Bearer t2"),
            reply: page([taxes]), times: 20)

        let client = client(of: server)
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { for try await _ in client.conversations() {} }
            }
            await clock.waitForSleepers(20)
            clock.advance(by: .seconds(1))
            try await group.waitForAll()
        }
    }
}

// MARK: - Pages

extension AssistantClientTests {
    @Test func conversationsOfAllPagesAreListed() async throws {
        server.on(
            .get("/v1/conversations").query("after", .absent),
            reply: page([taxes, garden], next: "c2"))
        server.on(.get("/v1/conversations").query("after", "c2"), reply: page([holiday]))

        var conversations: [Conversation] = []
        for try await page in client().conversations() { conversations += page.conversations }

        #expect(conversations == [taxes, garden, holiday])
    }

    private func page(_ conversations: [Conversation], next: String? = nil) -> MockResponse {
        .json(ConversationsRequest.Page(conversations: conversations, next: next))
    }
}

// MARK: - Uploads

extension AssistantClientTests {
    @Test func attachingADocumentReportsItsProgress() async throws {
        let attach = server.on(
            .post("/v1/conversations/c1/documents")
                .part("document", contentType: "application/pdf"),
            reply: .json(Attachment(id: "d1"), status: 201))
        let document = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pdf")
        try Data(repeating: 7, count: 100_000).write(to: document)
        defer { try? FileManager.default.removeItem(at: document) }
        let (steps, progress) = AsyncStream.makeStream(of: TransferProgress.self)

        let attachment = try await client().attach(document, to: taxes) { progress.yield($0) }
        progress.finish()

        #expect(attachment == Attachment(id: "d1"))
        #expect(attach.requests.first?.parts.first?.body.count == 100_000)
        let last = await steps.reduce(nil) { $1 }
        #expect(last?.fraction == 1)
    }
}

// MARK: - Refusals

extension AssistantClientTests {
    @Test func refusedQuestionThrowsTheReason() async {
        server.on(
            .post("/v1/conversations/c1/answers"),
            reply: .json(AssistantError(message: "This conversation is closed."), status: 409))

        await #expect(throws: AssistantError(message: "This conversation is closed.")) {
            try await client().ask("Who pays?", in: taxes)
        }
    }

    @Test func pageOfAProxyThrowsItsStatus() async {
        server.on(.get("/v1/conversations"), reply: .text("<h1>Forbidden</h1>", status: 403))

        let error = await #expect(throws: APIError.self) {
            for try await _ in client().conversations() {}
        }

        #expect(error?.kind == .status(403))
    }
}

// MARK: - Streamed answers

extension AssistantClientTests {
    @Test func answerIsReadToItsEnd() async throws {
        server.on(
            .post("/v1/conversations/c1/answers").json(["question": "Who pays?"]),
            reply: .events([#"{"delta": "You"}"#, #"{"delta": " do."}"#, "[DONE]"]))

        let answer = try await client().ask("Who pays?", in: taxes)

        #expect(try await answer.reduce("", +) == "You do.")
    }

    @Test func wordsArriveBeforeTheAnswerEnds() async throws {
        let (chunks, assistant) = AsyncStream.makeStream(of: Data.self)
        server.on(
            .post("/v1/conversations/c1/answers"),
            reply: .stream(chunks, contentType: "text/event-stream"))

        var words = try await client().ask("Who pays?", in: taxes).makeAsyncIterator()

        assistant.yield(Data("data: {\"delta\": \"You\"}\n\n".utf8))
        #expect(try await words.next() == "You")
        assistant.yield(Data("data: {\"delta\": \" do.\"}\n\ndata: [DONE]\n\n".utf8))
        assistant.finish()
        #expect(try await words.next() == " do.")
        #expect(try await words.next() == nil)
    }

    @Test func errorEventEndsTheAnswer() async throws {
        server.on(
            .post("/v1/conversations/c1/answers"),
            reply: .events([
                #"{"delta": "You"}"#,
                ServerSentEvent(data: #"{"message": "Overloaded"}"#, type: "error"),
            ]))

        let answer = try await client().ask("Who pays?", in: taxes)

        await #expect(throws: AssistantError(message: "Overloaded")) {
            for try await _ in answer {}
        }
    }

    @Test func questionIsRetriedAfterRetryAfter() async throws {
        let clock = ManualClock()
        server.on(
            .post("/v1/conversations/c1/answers"),
            reply: .status(429).header("Retry-After", "20"), .events([#"{"delta": "You."}"#]))

        let client = client(retry: Retry(clock: clock))
        async let answer = client.ask("Who pays?", in: taxes).reduce("", +)
        #expect(await clock.advanceToNextDeadline() == .seconds(20))

        #expect(try await answer == "You.")
    }
}
