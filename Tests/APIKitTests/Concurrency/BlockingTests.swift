import APIKit
import Foundation
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct BlockingTests {
    @Test func runReturnsResultOfWork() async throws {
        #expect(try await Blocking.run { _ in 42 } == 42)
    }

    @Test func runThrowsErrorOfWork() async {
        await #expect(throws: Refusal.self) { try await Blocking.run { _ in throw Refusal() } }
    }

    @Test func tasksContinueWhileManyRunsBlock() async throws {
        let started = Locked(0)
        let gate = DispatchSemaphore(value: 0)
        // A global queue on Linux needs about two minutes for so many.
        let runs = (0..<128).map { _ in
            Task {
                try await Blocking.run { _ in
                    started.withLock { $0 += 1 }
                    return gate.wait(timeout: .now() + 60)
                }
            }
        }

        await until("all runs block") { started.current == runs.count }
        for _ in runs { gate.signal() }

        for run in runs { #expect(try await run.value == .success) }
    }

    @Test func canceledRunThrowsAtOnceAndCancelsWork() async throws {
        let (isWorking, isCanceled) = (Locked(false), Locked(false))
        let gate = DispatchSemaphore(value: 0)

        let task = Task {
            try await Blocking.run { checkCancellation in
                try checkCancellation()
                isWorking.set(true)
                gate.waitForSignal()
                #expect(throws: CancellationError.self) { try checkCancellation() }
                isCanceled.set(true)
            }
        }
        await until("the work has begun") { isWorking.current }
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        gate.signal()
        await until("the work is canceled") { isCanceled.current }
    }

    @Test func valueOfCanceledRunIsReleased() async throws {
        let gate = DispatchSemaphore(value: 0)
        let dropped = Locked(WeakReference<Value>())
        let task = Task {
            try await Blocking.run { _ in
                let value = Value()
                dropped.withLock { $0.object = value }
                gate.waitForSignal()
                return value
            }
        }
        await until("the value exists") { dropped.current.object != nil }

        task.cancel()
        _ = await task.result
        gate.signal()

        await until("the value is released") { dropped.current.object == nil }
    }

    private final class Value: Sendable {}
}
