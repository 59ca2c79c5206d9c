/// The tokens that a user receives by signing in.
struct AssistantSession: Codable, Sendable {
    let token: String
    let refreshToken: String
}
