/// A post in the forum.
struct Post: Codable, Sendable, Equatable {
    let id: Int
    let topic: String
    let text: String
}
