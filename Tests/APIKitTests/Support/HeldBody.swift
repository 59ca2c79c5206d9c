import APIKit
import Foundation

/// A body that a test sends chunk by chunk, and that knows when nobody waits for it any longer.
struct HeldBody: Sendable {
    let chunks: AsyncStream<Data>
    private let continuation: AsyncStream<Data>.Continuation
    private let end = Waiter<Void>()

    init() {
        (chunks, continuation) = AsyncStream.makeStream()
        continuation.onTermination = { [end] _ in end.answer(.success(())) }
    }

    func send(_ text: String) {
        continuation.yield(Data(text.utf8))
    }

    func finish() {
        continuation.finish()
    }

    /// Waits until the body has been finished, or given up by whoever read it.
    func untilEnded() async throws {
        try await end.value
    }
}
