import APIKit
import Foundation

/// A delegate that counts the bytes of one data task at a time, and discards them.
final class ByteCounter: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var byteCount = 0
    private var continuation: CheckedContinuation<Int, any Error>?

    /// Runs a task of this delegate's session, and returns the number of bytes.
    func count(of task: URLSessionDataTask) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            lock.withLock {
                byteCount = 0
                self.continuation = continuation
            }
            task.resume()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        lock.withLock { byteCount += data.count }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let (count, continuation) = lock.withLock { (byteCount, self.continuation) }
        continuation?.resume(with: error.map { .failure($0) } ?? .success(count))
    }
}
