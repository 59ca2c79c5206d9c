import Testing

/// Tests of the composer with a double behind the protocol, without HTTP.
@Suite struct ComposerTests {
    let composer = Composer(forum: EmptyForum())

    @Test func typedTextIsPublished() async throws {
        let post = try await composer.publish("  Sleep helps.\n", about: "cycles")

        #expect(post == Post(id: 1, topic: "cycles", text: "Sleep helps."))
    }

    @Test func blankTextIsNotPublished() async throws {
        #expect(try await composer.publish(" \n", about: "cycles") == nil)
    }
}

/// A forum that publishes each draft as its first post.
private struct EmptyForum: ForumService {
    func posts(about topic: String) -> [Post] { [] }

    func publish(_ draft: PostDraft) -> Post {
        Post(id: 1, topic: draft.topic, text: draft.text)
    }
}
