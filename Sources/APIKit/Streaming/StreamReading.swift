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

/// The state that all copies of a stream share.
///
/// It ends exactly once.
package final class StreamReading: ByteSource {
    private struct State {
        var mapError: @Sendable (any Error) -> any Error = { $0 }
        var end: Result<Void, any Error>?
        var handlers: [@Sendable ((any Error)?) -> Void] = []
    }

    private let source: any ByteSource
    private let state = Locked(State())

    init(_ source: any ByteSource) {
        self.source = source
    }

    deinit {
        cancel()
    }

    /// Returns the next chunk, or `nil` at the end.
    ///
    /// - Throws: The error that ended the stream, also on every later call.
    package func next() async throws -> Data? {
        var chunk: Data?
        if state.withLock({ $0.end == nil }) {
            do {
                repeat { chunk = try await source.next() } while chunk?.isEmpty == true
                if chunk == nil { end(.success(())) }
            } catch {
                chunk = nil
                end(.failure(state.withLock { $0.mapError }(error)))
            }
        }
        // If the stream was ended concurrently, that error takes precedence.
        try state.withLock { $0.end }?.get()
        return chunk
    }

    /// Sets how the reader sees the errors of the source, also one that has ended the stream.
    func mapErrors(_ map: @escaping @Sendable (any Error) -> any Error) {
        let end = state.withLock { state in
            state.mapError = map
            return state.end
        }
        guard case .failure(let error) = end else { return }
        let mapped = map(error)
        state.withLock { $0.end = .failure(mapped) }
    }

    package func cancel() { end(.failure(CancellationError())) }

    /// Ends the stream as complete, although its source may have more chunks.
    func finish() {
        end(.success(()))
        source.cancel()
    }

    /// Ends the stream, unless it has ended.
    func end(_ result: Result<Void, any Error>) {
        let handlers = state.withLock { state -> [@Sendable ((any Error)?) -> Void]? in
            guard state.end == nil else { return nil }
            state.end = result
            defer { state.handlers = [] }
            return state.handlers
        }
        guard let handlers else { return }
        var failure: (any Error)?
        if case .failure(let error) = result {
            failure = error
            source.cancel()
        }
        for handler in handlers { handler(failure) }
    }

    /// Calls a handler when the stream ends, or at once if it has ended.
    func onEnd(_ handler: @escaping @Sendable ((any Error)?) -> Void) {
        let end = state.withLock { state in
            if state.end == nil { state.handlers.append(handler) }
            return state.end
        }
        switch end {
        case .success: handler(nil)
        case .failure(let error): handler(error)
        case nil: break
        }
    }
}

extension StreamReading: DumpsWithoutSecrets {}
