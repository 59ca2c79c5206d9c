import APIKitTesting
import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn, .timeLimit(.minutes(10))) struct SharedTimerTests {
    private let clock = ManualClock()

    @Test func sleepersWakeAtTheirDeadlines() async throws {
        let timer = SharedTimer(clock)
        let start = clock.now
        let seconds = (1...40).shuffled()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for second in seconds {
                group.addTask {
                    try await timer.sleep(until: start.advanced(by: .seconds(second)))
                    return second
                }
            }
            await until("all tasks sleep") { timer.count == seconds.count }
            for second in 1...40 {
                await clock.waitForSleepers()
                clock.advance(by: .milliseconds(999))
                #expect(timer.count == 41 - second)
                clock.advance(by: .milliseconds(1))
                let woken = try await group.next()
                #expect(woken == second)
            }
        }
        #expect(timer.count == 0)
        #expect(clock.sleeperCount == 0)
    }

    @Test func sleepersShareOneSleepOfTheClock() async throws {
        let timer = SharedTimer(clock)
        let start = clock.now
        let tasks = (1...20).reversed().map { second in
            Task { try await timer.sleep(until: start.advanced(by: .seconds(second))) }
        }
        await until("all tasks sleep") { timer.count == 20 }
        await until("earlier sleeps have ended") { clock.sleeperCount == 1 }

        clock.advance(by: .seconds(20))

        for task in tasks { try await task.value }
    }

    @Test func canceledSleepLeavesNothing() async throws {
        let timer = SharedTimer(clock)
        let deadline = clock.now.advanced(by: .seconds(100))
        let kept = Task { try await timer.sleep(until: deadline) }
        await clock.waitForSleepers()

        for _ in 0..<200 {
            let task = Task { try await timer.sleep(until: deadline) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }

        #expect(timer.count == 1)
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(100))
        try await kept.value
    }

    @Test func deadlineInThePastEndsSleepAtOnce() async throws {
        try await SharedTimer(clock).sleep(until: clock.now.advanced(by: .seconds(-1)))
    }

    @Test(arguments: [ContinuousClock() as any Clock<Duration>, SuspendingClock()])
    func everyRacingSleepEndsOnce(clock: any Clock<Duration>) async throws {
        func sleep(_ clock: some Clock<Duration>) async throws {
            let timer = SharedTimer(clock)
            await withTaskGroup { group in
                for index in 0..<Stress.count(5_000) {
                    let deadline = clock.now.advanced(by: .microseconds(index % 50 * 100))
                    let task = Task {
                        try await timer.sleep(until: deadline)
                        #expect(clock.now >= deadline)
                    }
                    group.addTask {
                        if index.isMultiple(of: 3) { task.cancel() }
                        let result = await task.result
                        if case .failure(let error) = result {
                            #expect(error is CancellationError)
                            #expect(index.isMultiple(of: 3))
                        }
                    }
                }
            }
            #expect(timer.count == 0)
        }
        try await sleep(clock)
    }

    @Test(arguments: [ContinuousClock() as any Clock<Duration>, SuspendingClock()])
    func limitsOnAClockOfTheSystemShareItsTimer(clock: any Clock<Duration>) async throws {
        let limits = {
            clock is ContinuousClock
                ? SharedTimers.continuous.count : SharedTimers.suspending.count
        }
        let tasks = (0..<100).map { _ in Task { try await limit(clock) } }
        // Other tests may sleep on the timer too.
        await until("all tasks are limited") { limits() >= 100 }
        for task in tasks { task.cancel() }
        for task in tasks {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    private func limit(_ clock: some Clock<Duration>) async throws {
        let deadline = clock.now.advanced(by: .seconds(3_600))
        try await clock.limiting(until: deadline, as: .limit { "Limit" }) {
            URLError(.timedOut)
        } _: {
            try await Task.sleep(for: .seconds(7_200))
        }
    }

    @Test func errorOfAClockEndsItsLimit() async {
        let clock = BrokenClock()

        await #expect(throws: BrokenClock.Failure.self) { try await limit(clock) }
    }
}

extension SharedTimer {
    fileprivate func sleep(until deadline: C.Instant) async throws {
        let waiter = Waiter<Void>()
        let cancel = schedule(at: deadline) { waiter.answer(.success(())) }
        try await withTaskCancellationHandler {
            try await waiter.value
        } onCancel: {
            cancel()
            waiter.answer(.failure(CancellationError()))
        }
    }
}

/// A clock on which each sleep fails.
private struct BrokenClock: Clock {
    struct Failure: Error {}

    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        throw Failure()
    }
}
