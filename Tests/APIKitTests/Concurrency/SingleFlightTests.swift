import APIKit
import APIKitTesting
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct SingleFlightTests {
    let clock = ManualClock()
    let runs = Locked(0)
    let flights = SingleFlight<String, Int>(cancelsWhenAbandoned: true)

    @Test func concurrentCallersShareOneFlight() async throws {
        let count = Stress.count(5_000)
        let callers = (0..<count).map { _ in caller() }
        await until("all callers wait") { flights.waiterCount == count }
        clock.advance(by: .seconds(1))

        for caller in callers { #expect(try await caller.value == 1) }
        #expect(runs.current == 1)
    }

    @Test func eachKeyHasItsOwnFlight() async throws {
        let (first, second) = (caller("a"), caller("b"))
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))

        #expect(try await [first.value, second.value].sorted() == [1, 2])
    }

    @Test func callerJoinsAFlightThatHasNotWaitedYet() async throws {
        let second = Locked<Task<Int, any Error>?>(nil)

        let first = try await flights.run("key") { [flights] in
            second.set(Task.startingHere { try await flights.run("key") { 2 } })
            await until("the second caller waits") { flights.waiterCount == 2 }
            return 1
        }

        #expect(first == 1)
        #expect(try await second.current?.value == 1)
    }

    @Test func completedFlightIsForgotten() async throws {
        let first = try await flights.run("key") { 1 }
        let second = try await flights.run("key") { 2 }

        #expect([first, second] == [1, 2])
        #expect(flights.waiterCount == 0)
    }

    @Test func errorReachesEveryCallerAndEndsFlight() async throws {
        let callers = (0..<100).map { _ in
            Task { [flights, clock] in
                try await flights.run("key") {
                    try await clock.sleepUntilOneSecond()
                    throw Refusal()
                }
            }
        }
        await until("all callers wait") { flights.waiterCount == 100 }
        clock.advance(by: .seconds(1))

        for caller in callers { await #expect(throws: Refusal()) { try await caller.value } }
        #expect(try await flights.run("key") { 7 } == 7)
    }

    @Test func operationInheritsTaskLocalsOfFirstCaller() async throws {
        let seen = try await Traits.$name.withValue("first") {
            try await flights.run("key") { Traits.name == "first" ? 1 : 0 }
        }

        #expect(seen == 1)
    }

    @Test func flightRunsAtThePriorityOfItsMostUrgentCaller() async throws {
        let started = Waiter<Void>()
        let operation = { @Sendable in
            started.signal()
            await until("the second call raises the priority") { Task.currentPriority >= .high }
            return Int(Task.currentPriority.rawValue)
        }
        let first = Task(priority: .low) { [flights] in try await flights.run("key", operation) }
        // Awaiting the first task would raise its priority.
        try await started.wait()

        let second = Task(priority: .high) { [flights] in try await flights.run("key", operation) }

        #expect(try await second.value >= Int(TaskPriority.high.rawValue))
        _ = try await first.value
    }

    // MARK: - Cancellation

    @Test(arguments: [0, 1])
    func flightContinuesWithoutOneOfItsCallers(canceled: Int) async throws {
        let first = caller()
        await clock.waitForSleepers()
        let callers = [first, caller()]
        await until("both callers wait") { flights.waiterCount == 2 }

        callers[canceled].cancel()

        await #expect(throws: CancellationError.self) { try await callers[canceled].value }
        #expect(flights.waiterCount == 1)
        clock.advance(by: .seconds(1))
        #expect(try await callers[1 - canceled].value == 1)
        #expect(runs.current == 1)
    }

    @Test func lastCanceledCallerCancelsFlight() async {
        let wasCanceled = Locked(false)
        let callers = (0..<3).map { _ in
            Task { [flights, clock] in
                try await flights.run("key") {
                    do {
                        try await clock.sleepUntilOneSecond()
                    } catch {
                        wasCanceled.set(true)
                    }
                    return 0
                }
            }
        }
        await until("all callers wait") { flights.waiterCount == 3 }
        await clock.waitForSleepers()

        for caller in callers {
            #expect(!wasCanceled.current)
            caller.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
        }

        await until("the operation is canceled") { wasCanceled.current }
    }

    @Test func abandonedFlightFreesItsKey() async throws {
        let passenger = Locked(WeakReference<Passenger>())
        await abandonAFlight(with: passenger)

        let successor = Task { [flights, clock] in
            try await flights.run("key") {
                try await clock.sleep(for: .seconds(2))
                return 2
            }
        }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        await until("the abandoned flight has ended") { passenger.withLock { $0.object } == nil }

        #expect(flights.waiterCount == 1)
        clock.advance(by: .seconds(1))
        #expect(try await successor.value == 2)
    }

    @Test func flightContinuesWithoutCallersIfConfigured() async throws {
        let flights = SingleFlight<String, Int>(cancelsWhenAbandoned: false)
        let first = caller(in: flights)
        await clock.waitForSleepers()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }

        let second = caller(in: flights)
        await until("the second caller waits") { flights.waiterCount == 1 }
        clock.advance(by: .seconds(1))

        #expect(try await second.value == 1)
        #expect(runs.current == 1)
    }

    @Test func canceledCallerStartsNoFlight() async throws {
        let flights = SingleFlight<String, Int>(cancelsWhenAbandoned: false)
        let runs = runs

        await #expect(throws: CancellationError.self) {
            try await inCanceledTask { try await flights.run("key") { runs.increment() } }
        }

        // If the canceled caller had started a flight, this call would join it.
        #expect(try await flights.run("key") { 7 } == 7)
        #expect(runs.current == 0)
    }

    // MARK: - Concurrency

    @Test(arguments: [true, false])
    func everyCallerResumesExactlyOnce(cancelsWhenAbandoned: Bool) async {
        let flights = SingleFlight<Int, Int>(cancelsWhenAbandoned: cancelsWhenAbandoned)
        let callers = (0..<Stress.count(5_000)).map { number in
            let caller = Task {
                try await flights.run(number % 7) {
                    if number % 3 == 0 { await Task.yield() }
                    return number % 7
                }
            }
            if number % 2 == 0 { Task { caller.cancel() } }
            return caller
        }

        for (number, caller) in callers.enumerated() {
            switch await caller.result {
            case .success(let value): #expect(value == number % 7)
            case .failure(let error): #expect(error is CancellationError && number % 2 == 0)
            }
        }
        #expect(flights.waiterCount == 0)
    }

    /// Abandons a flight that ends a second later and retains an object until then.
    private func abandonAFlight(with reference: Locked<WeakReference<Passenger>>) async {
        // A task-local value is released with its task, after the end of the operation.
        let passenger = Passenger()
        reference.withLock { $0.object = passenger }
        let caller = Traits.$passenger.withValue(passenger) {
            Task { [flights, clock] in
                try await flights.run("key") {
                    // An unstructured task is not canceled with the flight.
                    await Task { try? await clock.sleep(for: .seconds(1)) }.value
                    return 1
                }
            }
        }
        await clock.waitForSleepers()
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
    }

    /// A caller of a flight that takes a second and returns the number of flights so far.
    private func caller(
        _ key: String = "key",
        in flights: SingleFlight<String, Int>? = nil
    ) -> Task<Int, any Error> {
        Task { [flights = flights ?? self.flights, clock, runs] in
            try await flights.run(key) {
                let run = runs.increment()
                try await clock.sleepUntilOneSecond()
                return run
            }
        }
    }
}

private enum Traits {
    @TaskLocal static var name = ""
    @TaskLocal static var passenger: Passenger?
}

private final class Passenger: Sendable {}
