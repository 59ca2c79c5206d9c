import Foundation

extension URLSession: HTTPClient {
    /// Sends a request with a data task.
    ///
    /// Cancelling the calling task throws `CancellationError` at once, and the data task is
    /// cancelled on the side. (With one exception: on Linux the data task of a session with a
    /// `URLCache` is left to end by itself, because the system traps when such a task is cancelled
    /// at the wrong moment. Set `urlCache` to `nil` in the configuration to have it cancelled.)
    ///
    /// A redirect to another origin is followed without `Authorization`, `Cookie` and
    /// `Proxy-Authorization`; the session's delegate still has the last word.
    ///
    /// - Throws: A `URLError`, or `CancellationError`.
    public func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        let transfer = DataTransfer()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                transfer.start(request, in: self, resuming: continuation)
            }
        } onCancel: {
            transfer.cancel()
        }
    }
}
