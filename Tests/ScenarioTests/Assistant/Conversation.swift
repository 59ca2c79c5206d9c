/// A conversation with the assistant.
struct Conversation: Codable, Sendable, Equatable {
    let id: String
    let title: String
}
