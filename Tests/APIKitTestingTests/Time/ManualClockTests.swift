import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct ManualClockTests {
    let clock = ManualClock()

    @Test func clockStandsStillUntilAdvanced() {
        let start = clock.now

        #expect(clock.now == start)
        clock.advance(by: .seconds(5))
        #expect(start.duration(to: clock.now) == .seconds(5))
        #expect(start < clock.now)
        #expect(clock.minimumResolution == .zero)
    }

    @Test func clockDoesNotGoBack() {
        let start = clock.now

        clock.advance(by: .seconds(-1))

        #expect(clock.now == start)
    }

    @Test(arguments: Duration.extremes)
    func clockAdvancesToItsEnd(duration: Duration) async throws {
        let end = clock.now.advanced(by: duration).advanced(by: duration)
        let sleeper = Task { try await clock.sleep(until: end) }

        for _ in 0..<20 { clock.advance(by: duration) }
        clock.advance(by: .seconds(Int64.max))

        try await sleeper.value
        #expect(clock.now.duration(to: end) <= .zero)
    }

    @Test func clockWakesDueSleepers() async throws {
        let order = Locked<[Int]>([])
        let sleepers = [3, 1, 2].map { seconds in
            Task {
                try await clock.sleep(for: .seconds(seconds))
                order.withLock { $0.append(seconds) }
            }
        }
        await clock.waitForSleepers(3)

        for _ in 1...3 {
            let awake = order.withLock { $0.count }
            clock.advance(by: .seconds(1))
            await until("a sleeper awakes") { order.withLock { $0.count } > awake }
        }

        for sleeper in sleepers { try await sleeper.value }
        #expect(order.withLock { $0 } == [1, 2, 3])
    }

    @Test func pastDeadlineDoesNotSleep() async throws {
        let start = clock.now
        clock.advance(by: .seconds(1))

        try await clock.sleep(until: start.advanced(by: .seconds(1)))
    }

    @Test func canceledSleeperWakes() async {
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers()

        sleeper.cancel()

        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test func clockSurvivesConcurrentCancellations() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<Stress.count(4_000) {
                group.addTask {
                    let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
                    if number.isMultiple(of: 2) { await Task.yield() }
                    sleeper.cancel()
                    _ = await sleeper.result
                }
            }
        }
    }

    @Test func waitForSleepersTimesOut() async throws {
        let line = #line + 2
        let issues = try await recordedIssues {
            await clock.waitForSleepers(2, within: .milliseconds(5))
        }

        #expect(
            issues.map(\.text) == [
                """
                After 0.005 seconds, 0 of 2 tasks sleep on the clock, which is at 0.0 seconds.
                Pass the clock to the server or to the code that sleeps.
                """
            ])
        #expect(issues.first?.sourceLocation?.line == line)
    }

    @Test(arguments: Duration.extremes.filter { $0 > .zero })
    func waitForSleepersAcceptsExtremeLimits(limit: Duration) async {
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }

        await clock.waitForSleepers(within: limit)

        sleeper.cancel()
    }

    @Test func waitForSleepersEndsWhenCanceled() async {
        let watcher = Task { await clock.waitForSleepers() }

        watcher.cancel()

        await watcher.value
    }
}
