import APIKit
import Testing

@testable import APIKitTesting

@Suite(.inTurn, .timeLimit(.minutes(10))) struct TaskContextTests {
    private final class Marker: Sendable {
        let released: Locked<Int>

        init(_ released: Locked<Int> = Locked(0)) { self.released = released }
        deinit { released.withLock { $0 += 1 } }
    }

    @TaskLocal private static var marker: Marker?

    @Test func workHasTheValuesOfTheTaskThatMadeTheContext() async throws {
        let marker = Marker()
        let context = Self.$marker.withValue(marker) { TaskContext() }

        for _ in 0..<10 {
            let isSame = try await context.perform { Self.marker === marker }
            #expect(isSame)
        }
    }

    @Test func worksRunAtTheSameTime() async throws {
        let context = TaskContext()
        let arrived = (0..<20).map { _ in Waiter<Void>() }
        let allowed = (0..<20).map { _ in Waiter<Void>() }
        let works = zip(arrived, allowed).map { arrived, allowed in
            Task {
                try await context.perform {
                    arrived.answer(.success(()))
                    try await allowed.value
                }
            }
        }

        for waiter in arrived { try await waiter.wait() }
        for waiter in allowed.reversed() { waiter.answer(.success(())) }
        for work in works { try await work.value }
    }

    @Test func canceledCallerDoesNotWaitForItsWork() async throws {
        let context = TaskContext()
        let (arrived, end) = (Waiter<Void>(), Waiter<Bool>())
        let caller = Task {
            try await context.perform {
                arrived.answer(.success(()))
                let isCanceled = try await end.value
                #expect(isCanceled == Task.isCancelled)
            }
        }

        try await arrived.wait()
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        end.answer(.success(true))
    }

    /// A task retains its task-local values, so a marker that is released has no task.
    @Test func releasedContextLeavesNoTask() async throws {
        let released = Locked(0)
        let count = Stress.count(4_000)
        for _ in 0..<count {
            let context = Self.$marker.withValue(Marker(released)) { TaskContext() }
            let work = Task { try await context.perform {} }
            work.cancel()
            _ = await work.result
        }

        await until("no task is left") { released.withLock { $0 } == count }
    }
}
