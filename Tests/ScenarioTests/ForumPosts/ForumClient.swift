import APIKit
import Foundation

/// The forum over HTTP, with any networking library.
struct ForumClient: ForumService {
    private let client: APIClient

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - transport: The networking library.
    ///   - listeners: Makes the listeners of a call.
    init(
        transport: any HTTPTransport = URLSession.shared,
        listeners: @escaping @Sendable (APICall) -> [any APIObserver] = { _ in [] }
    ) {
        client = APIClient(
            baseURL: URL(string: "https://forum.example/v2"), transport: transport,
            observers: listeners)
    }

    func posts(about topic: String) async throws -> [Post] {
        try await client.load(PostsRequest(), with: topic)
    }

    func publish(_ draft: PostDraft) async throws -> Post {
        try await client.load(PublishPostRequest(), with: draft)
    }
}
