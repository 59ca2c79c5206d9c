/// A file that the assistant has been given.
struct Attachment: Codable, Sendable, Equatable {
    let id: String
}
