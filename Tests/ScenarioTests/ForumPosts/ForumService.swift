/// The calls that the app makes to the forum.
protocol ForumService: Sendable {
    /// Returns the posts about a topic.
    func posts(about topic: String) async throws -> [Post]

    /// Publishes a draft, and returns the post.
    func publish(_ draft: PostDraft) async throws -> Post
}
