/// What the app needs of the forum.
protocol ForumService: Sendable {
    /// Returns the posts about a topic.
    func posts(about topic: String) async throws -> [Post]

    /// Publishes a draft, and returns the post that it has become.
    func publish(_ draft: PostDraft) async throws -> Post
}
