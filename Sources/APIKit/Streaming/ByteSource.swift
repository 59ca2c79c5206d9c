import Foundation

/// A source of the chunks of a stream.
package protocol ByteSource: Sendable {
    /// Returns the next chunk, or `nil` at the end.
    ///
    /// Throws `CancellationError` as soon as the calling task is canceled.
    func next() async throws -> Data?

    /// Ends the source. No further chunk is read from it.
    func cancel()
}
