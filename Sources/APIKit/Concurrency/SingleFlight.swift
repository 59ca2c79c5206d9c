/// Shares one run of an operation between all callers with the same key.
///
/// The first caller starts a flight: its operation runs in a new task, with the task-local values of
/// that caller. The task starts on the thread of that caller, because waking another one takes as long
/// as a tenth of a call. Callers with the same key wait for the flight, and all receive its value or
/// its error. The task runs at the highest priority of the callers. Nothing is kept after the flight,
/// so the next caller starts another.
///
/// A caller whose task is canceled throws `CancellationError` at once, and the flight continues for
/// the others. A caller whose task is already canceled starts no flight.
///
/// Any task may use an instance. No lock is held while an operation runs or a caller resumes.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Unchecked because the lock of the flights guards it.
    private final class Flight: @unchecked Sendable {
        typealias Operation = Task<Value, any Error>

        /// The first caller, which the task itself answers.
        let first: Waiter<Value>
        /// The task, which is known once it waits or ends.
        var task: Operation?
        /// The callers that have joined before, and wait for the task.
        var early: [@Sendable (Operation) -> Void] = []
        /// The number of waiting callers.
        var callers = 0

        init(first: Waiter<Value>) { self.first = first }
    }

    private let flights = Locked<[Key: Flight]>([:])
    private let cancelsWhenAbandoned: Bool

    /// The number of waiting callers, for tests.
    package var waiterCount: Int {
        flights.withLock { flights in flights.values.reduce(0) { $0 + $1.callers } }
    }

    /// Creates an instance without flights.
    ///
    /// - Parameter cancelsWhenAbandoned: Whether a flight is canceled when its last caller is
    ///   canceled. The next caller with its key then starts another flight, even before the
    ///   operation has ended. Otherwise the flight continues, and later callers join it.
    package init(cancelsWhenAbandoned: Bool) {
        self.cancelsWhenAbandoned = cancelsWhenAbandoned
    }

    /// Waits for the flight of a key, and starts it if there is none.
    ///
    /// - Parameters:
    ///   - key: The key of the flight.
    ///   - operation: The operation to run if this caller is the first.
    /// - Returns: The value of the operation.
    /// - Throws: The error of the operation, or `CancellationError`.
    package func run(
        _ key: Key,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let waiter = Waiter<Value>()
        let priority = Task.currentPriority
        @Sendable func join(_ task: Flight.Operation) {
            // A task runs at least at the priority of a task that awaits it.
            Task(priority: priority) { waiter.answer(await task.result) }
        }
        let (flight, task) = flights.withLock { flights in
            let flight = flights[key] ?? Flight(first: waiter)
            flights[key] = flight
            flight.callers += 1
            if flight.first !== waiter, flight.task == nil { flight.early.append(join) }
            return (flight, flight.task)
        }
        if flight.first === waiter {
            start(flight, of: key, operation)
        } else if let task {
            join(task)
        }
        return try await waiter.wait { leave(key, of: flight) }
    }

    /// Starts the task of a flight, which answers the first caller itself.
    private func start(
        _ flight: Flight, of key: Key, _ operation: @escaping @Sendable () async throws -> Value
    ) {
        let task = Task.startingHere { [self] in
            let result = await Result.of(operation)
            flights.withLock { if $0[key] === flight { $0[key] = nil } }
            flight.first.answer(result)
            return try result.get()
        }
        let early = flights.withLock { _ in
            flight.task = task
            return flight.early
        }
        for join in early { join(task) }
    }

    private func leave(_ key: Key, of flight: Flight) {
        let abandoned = flights.withLock { flights -> Flight.Operation? in
            flight.callers -= 1
            // After a flight has ended or was abandoned, another flight may have the same key.
            guard cancelsWhenAbandoned, flight.callers == 0, flights[key] === flight else {
                return nil
            }
            flights[key] = nil
            return flight.task
        }
        abandoned?.cancel()
    }
}
