import APIKit
import Testing

/// Records progress, and expects steps one at a time, with increasing byte counts.
final class ProgressLog: Sendable {
    private struct State {
        var depth = 0
        var count = 0
        var last: TransferProgress?
    }

    private let state = Locked(State())

    /// The number of steps.
    var count: Int { state.withLock { $0.count } }

    /// The last step.
    var last: TransferProgress? { state.withLock { $0.last } }

    func append(_ step: TransferProgress) {
        let (depth, previous) = state.withLock { state in
            defer { state.last = step }
            state.depth += 1
            state.count += 1
            return (state.depth, state.last)
        }
        #expect(depth == 1)
        #expect(previous.map { $0.completedBytes < step.completedBytes } ?? true)
        #expect(step.totalBytes.map { step.completedBytes <= $0 } ?? true)
        state.withLock { $0.depth -= 1 }
    }
}
