import Foundation

/// Where the chunks of a stream come from.
package protocol ByteSource: Sendable {
    /// Returns the next chunk, or `nil` at the end.
    ///
    /// It throws `CancellationError` as soon as the task is cancelled.
    func next() async throws -> Data?

    /// Ends the source, which nobody reads any longer.
    func cancel()
}
