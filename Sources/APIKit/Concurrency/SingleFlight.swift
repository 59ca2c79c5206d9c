/// Shares one run of an operation between all callers with the same key.
///
/// The first caller starts a flight: its operation runs in a new task, with the task-local values of
/// that caller. Callers with the same key wait for the flight, and all receive its value or its
/// error. The task runs at the highest priority of the callers. Nothing is kept after the flight, so
/// the next caller starts another.
///
/// A caller whose task is canceled throws `CancellationError` at once, and the flight continues for
/// the others. A caller whose task is already canceled starts no flight.
///
/// Any task may use an instance. No lock is held while an operation runs or a caller resumes.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Flight {
        /// The first caller, which the task itself answers.
        let first: Waiter<Value>
        let task: Task<Value, any Error>
        /// The number of waiting callers.
        var callers = 1
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
        let flight = flights.withLock { flights in
            flights[key]?.callers += 1
            if let flight = flights[key] { return flight }
            // Creating a task runs none of its code, so it is safe under the lock.
            let task = Task { [self] in
                let result = await Result.of(operation)
                self.flights.withLock { if $0[key]?.first === waiter { $0[key] = nil } }
                waiter.answer(result)
                return try result.get()
            }
            let flight = Flight(first: waiter, task: task)
            flights[key] = flight
            return flight
        }
        if flight.first !== waiter {
            // A task runs at least at the priority of a task that awaits it.
            Task { waiter.answer(await flight.task.result) }
        }
        return try await waiter.wait { leave(key, of: flight.task) }
    }

    private func leave(_ key: Key, of task: Task<Value, any Error>) {
        let isAbandoned = flights.withLock { flights in
            // After a flight has ended or was abandoned, another flight may have the same key.
            guard flights[key]?.task == task else { return false }
            flights[key]?.callers -= 1
            guard cancelsWhenAbandoned, flights[key]?.callers == 0 else { return false }
            flights[key] = nil
            return true
        }
        if isAbandoned { task.cancel() }
    }
}
