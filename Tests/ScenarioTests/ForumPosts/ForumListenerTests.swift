import APIKit
import APIKitTesting
import Foundation
import Testing

/// What the rest of the app hears of a call.
@Suite(.mockServer) struct ForumListenerTests {
    let server = MockServer.current
    let post = Post(id: 7, topic: "cycles", text: "Sleep helps.")
    let draft = PostDraft(topic: "cycles", text: "Sleep helps.")

    @Test func tellsOfThePostsThatWereLoaded() async {
        server.on(.get("/v2/posts"), reply: .json([post]))

        let events = await events { _ = try? await $0.posts(about: "cycles") }

        #expect(events.map(\.posts) == [[post]])
    }

    @Test func tellsOfThePostThatWasPublished() async {
        server.on(.post("/v2/posts"), reply: .json(post, status: 201))

        let events = await events { _ = try? await $0.publish(draft) }

        #expect(events.map(\.post) == [post])
    }

    @Test(arguments: ["", "{", #"{"id": "seven"}"#])
    func tellsOfNoSuccessWhereTheBodyMakesNoSense(body: String) async {
        server.on(.post("/v2/posts"), reply: .text(body, status: 201))

        let events = await events { _ = try? await $0.publish(draft) }

        #expect(events.map(\.error?.kind) == [.decoding])
    }

    @Test func tellsOfARefusalWithWhatTheServerSays() async throws {
        server.on(
            .post("/v2/posts"), reply: .json(["reason": "This topic is closed."], status: 403))

        let events = await events { _ = try? await $0.publish(draft) }

        let error = try #require(events.first?.error)
        #expect(try error.decodeBody([String: String].self)["reason"] == "This topic is closed.")
        #expect(events.count == 1)
    }

    @Test func tellsOfALostConnection() async {
        server.on(.get("/v2/posts"), reply: .failure(.networkConnectionLost))

        let events = await events { _ = try? await $0.posts(about: "cycles") }

        #expect(events.map(\.error?.kind) == [.transport])
    }

    @Test func isMadeForEachCall() async {
        server.on(.get("/v2/posts"), reply: .json([post]))
        server.on(.post("/v2/posts"), reply: .status(403))

        let events = await events { forum in
            _ = try? await forum.posts(about: "cycles")
            _ = try? await forum.publish(draft)
        }

        #expect(events.map(\.call) == ["GET /v2/posts", "POST /v2/posts"])
    }

    /// Returns what the app hears while it uses the forum.
    private func events(while use: (ForumClient) async -> Void) async -> [ForumEvent] {
        let (events, heard) = AsyncStream.makeStream(of: ForumEvent.self)
        await use(
            ForumClient(transport: server.session) { call in
                [ForumListener(call) { heard.yield($0) }]
            })
        heard.finish()
        return await events.reduce(into: []) { $0.append($1) }
    }
}

extension ForumEvent {
    fileprivate var posts: [Post]? { if case .loaded(let posts) = outcome { posts } else { nil } }

    fileprivate var post: Post? { if case .published(let post) = outcome { post } else { nil } }

    fileprivate var error: APIError? {
        if case .failed(let error) = outcome { error as? APIError } else { nil }
    }
}
