import APIKit
import Foundation

/// A delegate that decides about challenges with a closure, and reports an invalid session.
final class ChallengeDelegate: NSObject, URLSessionTaskDelegate {
    typealias Decision = (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Ends when the session becomes invalid, after its last task.
    let invalidation: AsyncStream<Never>

    private let continuation: AsyncStream<Never>.Continuation
    private let decide: @Sendable (URLAuthenticationChallenge) async -> Decision

    init(decide: @escaping @Sendable (URLAuthenticationChallenge) async -> Decision) {
        (invalidation, continuation) = AsyncStream.makeStream()
        self.decide = decide
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        continuation.finish()
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        Task { [decide] in
            let (disposition, credential) = await decide(challenge)
            completionHandler(disposition, credential)
        }
    }
}
