import Foundation

/// Work that may block the thread that it is on.
package enum Blocking {
    /// Runs a closure on a thread that may be blocked: those of tasks are as few as the cores.
    package static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result(catching: work))
            }
        }
    }
}
