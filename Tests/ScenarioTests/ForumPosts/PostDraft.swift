/// A post that has not been published.
struct PostDraft: Codable, Sendable, Equatable {
    let topic: String
    let text: String
}
