/// The reason that the assistant refuses a request, or cannot finish its answer.
struct AssistantError: Error, Codable, Equatable {
    let message: String
}
