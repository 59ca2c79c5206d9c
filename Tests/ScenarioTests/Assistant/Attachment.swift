/// A file attached to a conversation.
struct Attachment: Codable, Sendable, Equatable {
    let id: String
}
