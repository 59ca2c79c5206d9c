import Testing

/// Behind its protocol, the forum is whatever a test wants it to be.
@Suite struct ComposerTests {
    let composer = Composer(forum: QuietForum())

    @Test func publishesWhatWasTyped() async throws {
        let post = try await composer.publish("  Sleep helps.\n", about: "cycles")

        #expect(post == Post(id: 1, topic: "cycles", text: "Sleep helps."))
    }

    @Test func publishesNothingWhereNothingWasTyped() async throws {
        #expect(try await composer.publish(" \n", about: "cycles") == nil)
    }
}

/// A forum without other posts.
private struct QuietForum: ForumService {
    func posts(about topic: String) -> [Post] { [] }

    func publish(_ draft: PostDraft) -> Post {
        Post(id: 1, topic: draft.topic, text: draft.text)
    }
}
