/// How far an upload or a download has come.
public struct TransferProgress: Sendable, Equatable {
    /// How many bytes of the body have been sent or received.
    ///
    /// Of a download that goes on where another broke off, those that were there already count.
    public let completedBytes: Int

    /// How many bytes there are in all, if that is known.
    public let totalBytes: Int?

    /// Creates a progress, as a transport of your own does.
    public init(completedBytes: Int, totalBytes: Int?) {
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
    }

    /// The part that is done, from 0 to 1, if the size is known.
    public var fraction: Double? {
        totalBytes.map { $0 == 0 ? 1 : Double(completedBytes) / Double($0) }
    }
}
