import APIKit
import Foundation

/// A load without a URL session whose body is read as it is played.
final class StreamedLoad: ByteSource {
    private let head = Waiter<URLResponse>()
    private let chunks = ChunkBuffer()
    private let work = Locked<Task<Void, Never>?>(nil)

    /// Starts to play.
    ///
    /// - Parameter play: Plays the answer, in a task with the task-local values of this one.
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

    /// The head of the response, as soon as it has been played.
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

    /// Takes an event of the answer.
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
