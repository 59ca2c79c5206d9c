import APIKit
import APIKitTesting
import Foundation
import Testing

/// Runs a closure in a task that is already canceled.
func inCanceledTask<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await body()
    }.value
}

extension ManualClock {
    /// Sleeps until one second after the start of the clock.
    func sleepUntilOneSecond() async throws {
        try await sleep(until: ManualClock().now.advanced(by: .seconds(1)))
    }
}

extension Waiter<Void> {
    func signal() {
        answer(.success(()))
    }
}

/// A body that a test sends chunk by chunk.
struct HeldBody: Sendable {
    let chunks: AsyncStream<Data>
    private let continuation: AsyncStream<Data>.Continuation
    private let end = Waiter<Void>()

    init() {
        (chunks, continuation) = AsyncStream.makeStream()
        continuation.onTermination = { [end] _ in end.signal() }
    }

    func send(_ text: String) {
        send(Data(text.utf8))
    }

    func send(_ chunk: Data) {
        continuation.yield(chunk)
    }

    func finish() {
        continuation.finish()
    }

    /// Waits until the test finishes the body or its reader cancels it.
    func untilEnded() async throws {
        try await end.wait()
    }
}

extension Locked {
    /// A copy of the value.
    var current: Value { withLock { $0 } }

    func set(_ value: Value) {
        withLock { $0 = value }
    }
}

extension Locked where Value: RangeReplaceableCollection {
    func append(_ element: Value.Element) {
        withLock { $0.append(element) }
    }
}

extension Locked<Int> {
    /// Adds one, and returns the sum.
    @discardableResult
    func increment() -> Int {
        withLock { count in
            count += 1
            return count
        }
    }
}

/// A reference that does not retain its object.
struct WeakReference<Object: AnyObject> {
    weak var object: Object?
}
