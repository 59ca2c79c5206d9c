/// A screen with a button that loads posts, and a text that shows their count or the failure.
///
/// The screen receives results from its own call, or from a listener, which also reports the calls of
/// other screens. It does not store requests, because a call retains its request.
@MainActor final class PostsModel {
    private(set) var text = ""
    private let forum: any ForumService

    init(forum: any ForumService) {
        self.forum = forum
    }

    /// Loads posts, and shows the result of the call.
    func loadButtonTapped() async {
        do {
            show(.success(try await forum.posts(about: "cycles")))
        } catch {
            show(.failure(error))
        }
    }

    /// Shows the results that listeners report, until the stream ends.
    func follow(_ events: AsyncStream<ForumEvent>) async {
        for await case .loaded(let result) in events { show(result) }
    }

    private func show(_ result: Result<[Post], any Error>) {
        text =
            switch result {
            case .success(let posts): "Posts: \(posts.count)"
            case .failure: "The posts could not be loaded."
            }
    }
}
