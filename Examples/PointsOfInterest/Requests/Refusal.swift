/// The JSON body of a response that refuses a request.
struct Refusal: Sendable, Codable {
    /// The reason.
    let error: String
}
