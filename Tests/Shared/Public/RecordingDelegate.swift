import APIKit
import Foundation

/// A session delegate that records the upload, the status, the chunks and the error of a task.
final class RecordingDelegate: NSObject, URLSessionDataDelegate {
    private struct State {
        var status: Int?
        var chunks: [Data] = []
        var upload: [[Int64]] = []
    }

    private let state = Locked(State())
    private let completions = AsyncStream.makeStream(of: (any Error)?.self)

    var status: Int? { state.withLock { $0.status } }
    var chunks: [Data] { state.withLock { $0.chunks } }
    /// The arguments of each `didSendBodyData`.
    var upload: [[Int64]] { state.withLock { $0.upload } }
    var body: Data { chunks.reduce(Data(), +) }

    /// Waits until the task completes, and returns its error.
    func completion() async -> (any Error)? {
        for await error in completions.stream { return error }
        return nil
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        state.withLock { $0.status = (response as? HTTPURLResponse)?.statusCode }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        state.withLock { $0.chunks.append(data) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        let step = [bytesSent, totalBytesSent, totalBytesExpectedToSend]
        state.withLock { $0.upload.append(step) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        completions.continuation.yield(error)
    }
}
