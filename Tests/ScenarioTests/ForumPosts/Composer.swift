import Foundation

/// A text field that publishes posts through the protocol, without HTTP.
struct Composer {
    let forum: any ForumService

    /// Publishes a text, unless it is blank.
    func publish(_ text: String, about topic: String) async throws -> Post? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { return nil }
        return try await forum.publish(PostDraft(topic: topic, text: text))
    }
}
