/// What became of a call to the forum.
struct ForumEvent: Sendable {
    enum Outcome: Sendable {
        case loaded([Post])
        case published(Post)
        case failed(any Error)
    }

    /// The method and the path of the call.
    let call: String
    let outcome: Outcome
}
