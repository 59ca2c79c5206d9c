/// What somebody has got for signing in.
struct AssistantSession: Codable, Sendable {
    let token: String
    let refreshToken: String
}
