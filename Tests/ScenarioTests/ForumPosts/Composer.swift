import Foundation

/// Publishes what a user has typed, and knows nothing of HTTP.
struct Composer {
    let forum: any ForumService

    /// Publishes a text, unless there is nothing in it.
    func publish(_ text: String, about topic: String) async throws -> Post? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { return nil }
        return try await forum.publish(PostDraft(topic: topic, text: text))
    }
}
