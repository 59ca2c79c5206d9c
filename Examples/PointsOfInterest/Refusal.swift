/// The body of a response that refuses a request: the reason, as JSON.
struct Refusal: Error, Equatable, Codable {
    /// What is wrong with the request, in words.
    let error: String
}
