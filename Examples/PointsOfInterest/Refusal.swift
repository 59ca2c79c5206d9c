/// The JSON body of a response that refuses a request.
struct Refusal: Error, Equatable, Codable {
    /// The reason.
    let error: String
}
