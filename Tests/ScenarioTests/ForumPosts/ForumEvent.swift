/// The result of a call to the forum.
enum ForumEvent: Sendable {
    case loaded(Result<[Post], any Error>)
    case published(Result<Post, any Error>)
}
