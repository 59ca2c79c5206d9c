/// A person with an account.
struct User: Codable, Sendable, Equatable {
    let id: Int
    let name: String
}
