/// What somebody is about to write in the forum.
struct PostDraft: Codable, Sendable, Equatable {
    let topic: String
    let text: String
}
