import APIKit
import Foundation

/// A load without a URL session, whose body is a stream.
final class StreamedLoad: ByteSource {
    private let head = Waiter<URLResponse>()
    private let chunks = ChunkBuffer()
    private let work = Locked<Task<Void, Never>?>(nil)

    /// Starts a load.
    ///
    /// - Parameter play: Plays the response, in a task with the task-local values of the caller.
    init(_ play: @escaping @Sendable (StreamedLoad) async throws -> Void) {
        let task = Task { [head, chunks] in
            do {
                try await play(self)
                chunks.finish(.success(()))
                head.answer(.failure(URLError(.badServerResponse)))
            } catch {
                chunks.finish(.failure(error))
                head.answer(.failure(error))
            }
        }
        work.withLock { $0 = task }
    }

    /// The response head.
    var response: URLResponse {
        get async throws {
            try await withTaskCancellationHandler {
                try await head.value
            } onCancel: {
                head.answer(.failure(CancellationError()))
                cancel()
            }
        }
    }

    /// Receives an event of the response.
    func receive(_ event: LoadingEvent) {
        switch event {
        case .response(let response): head.answer(.success(response))
        case .body(let data), .chunk(let data): chunks.append(data)
        case .finished, .failed: break
        }
    }

    func next() async throws -> Data? { try await chunks.next() }

    func cancel() {
        work.withLock { $0 }?.cancel()
    }
}
