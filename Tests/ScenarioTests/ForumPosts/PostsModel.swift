/// A screen with a button that loads posts, and a text that shows their count or the failure.
///
/// The screen can learn the result in two ways: from the call that it makes, or from a listener,
/// which also reports the calls of other screens. It keeps no request: a call retains what it needs.
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

    /// Shows the results that listeners report, until there are no more.
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
