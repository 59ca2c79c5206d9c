/// The body of an upload, and the closure that receives its progress.
struct Upload: Sendable {
    let source: UploadSource
    let size: Int
    /// Receives the number of bytes that the session has sent so far.
    let didSend: @Sendable (Int) -> Void
}
