/// The reason that the assistant cannot finish its answer.
struct AssistantError: Error, Codable, Equatable {
    let message: String
}
