/// A closure that receives the progress of an upload or a download, on the actor that it belongs to.
///
/// A closure without an actor runs on any thread. One that begins with `{ @MainActor progress in` can
/// change the state of a view: see ``APIClient/download(_:with:to:progress:)``.
public typealias ProgressHandler = @isolated(any) @Sendable (TransferProgress) -> Void

/// The progress of an upload or a download.
public struct TransferProgress: Sendable, Equatable {
    /// The number of bytes of the body that have been sent or received.
    ///
    /// For a resumed download, it includes the bytes that were received before.
    public let completedBytes: Int

    /// The size of the body in bytes, if it is known.
    public let totalBytes: Int?

    /// Creates a progress value, for example in your own transport.
    public init(completedBytes: Int, totalBytes: Int?) {
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
    }

    /// The completed fraction, from 0 to 1, if the size is known.
    public var fraction: Double? {
        totalBytes.map { $0 == 0 ? 1 : Double(completedBytes) / Double($0) }
    }
}
