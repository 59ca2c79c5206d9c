import APIKit
import APIKitTesting
import Foundation
import Testing

/// Tests of the client: the requests it sends, and the values it returns.
@Suite(.mockServer) struct ForumClientTests {
    let server = MockServer.current
    let post = Post(id: 7, topic: "cycles", text: "Sleep helps.")

    @Test func postsAreRequestedByTopic() async throws {
        server.on(
            .get("/v2/posts").query(exactly: ["topic": "mood & sleep"]), reply: .json([post]))

        #expect(try await client.posts(about: "mood & sleep") == [post])
    }

    @Test func draftIsPostedAsJSON() async throws {
        let publish = server.on(.post("/v2/posts"), reply: .json(post, status: 201))
        let draft = PostDraft(topic: "cycles", text: "Sleep helps.")

        #expect(try await client.publish(draft) == post)

        let request = try #require(publish.requests.first)
        #expect(request.url.absoluteString == "https://forum.example/v2/posts")
        #expect(request.header("Content-Type") == "application/json")
        #expect(try request.json(PostDraft.self) == draft)
    }

    @Test func refusalThrowsItsStatus() async {
        server.on(.post("/v2/posts"), reply: .status(403))

        let error = await #expect(throws: APIError.self) {
            try await client.publish(PostDraft(topic: "cycles", text: "Buy now!"))
        }

        #expect(error?.kind == .status(403))
    }

    private var client: ForumClient { ForumClient(transport: server.session) }
}
