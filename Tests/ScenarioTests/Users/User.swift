/// Somebody who has an account.
struct User: Codable, Sendable, Equatable {
    let id: Int
    let name: String
}
