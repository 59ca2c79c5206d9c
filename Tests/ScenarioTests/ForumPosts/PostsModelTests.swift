import APIKit
import APIKitTesting
import Testing

/// Tests of the screen: it shows the same result from the call as from a listener.
@MainActor @Suite(.mockServer) struct PostsModelTests {
    nonisolated static let results: [(MockResponse, String)] = [
        (.json([Post(id: 7, topic: "cycles", text: "Sleep helps.")]), "Posts: 1"),
        (.json([Post]()), "Posts: 0"),
        (.text("no JSON"), "The posts could not be loaded."),
        (.status(503), "The posts could not be loaded."),
    ]

    let server = MockServer.current

    @Test(arguments: results) func buttonShowsTheResultOfItsCall(
        reply: MockResponse, text: String
    ) async {
        server.on(.get("/v2/posts"), reply: reply)
        let model = PostsModel(forum: ForumClient(transport: server.session))

        await model.loadButtonTapped()

        #expect(model.text == text)
    }

    @Test(arguments: results) func listenerShowsTheResultOfACallElsewhere(
        reply: MockResponse, text: String
    ) async {
        server.on(.get("/v2/posts"), reply: reply)
        let (events, reported) = AsyncStream.makeStream(of: ForumEvent.self)
        let forum = ForumClient(transport: server.session) { call in
            [ForumListener(call) { reported.yield($0) }]
        }
        let model = PostsModel(forum: forum)

        _ = try? await forum.posts(about: "mood")
        reported.finish()
        await model.follow(events)

        #expect(model.text == text)
    }
}
