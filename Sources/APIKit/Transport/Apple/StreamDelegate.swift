import Foundation

#if !canImport(FoundationNetworking) || APIKIT_APPLE_LOADER

/// The delegate of a stream's task, which also receives the body.
///
/// As with the system's async functions, the session's delegate does not receive the body or the
/// completion of the task.
final class StreamDelegate: TaskDelegate, URLSessionDataDelegate, @unchecked Sendable {
    private let head = Waiter<URLResponse>()
    private let chunks = ChunkBuffer()
    private let task = Locked<URLSessionTask?>(nil)

    /// Starts the task and waits for the response head.
    func stream(_ task: URLSessionTask) async throws -> (ByteStream, URLResponse) {
        self.task.withLock { $0 = task }
        task.resume()
        let response = try await head.wait { cancel() }
        return (ByteStream(self), response)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        head.answer(.success(response))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        chunks.append(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let error = error?.unwrapped
        head.answer(.failure(error ?? URLError(.badServerResponse)))
        chunks.finish(error.map { .failure($0) } ?? .success(()))
    }
}

extension StreamDelegate: ByteSource {
    func next() async throws -> Data? { try await chunks.next() }

    func cancel() {
        head.answer(.failure(CancellationError()))
        chunks.cancel()
        task.withLock { $0 }?.cancel()
    }
}

#endif
