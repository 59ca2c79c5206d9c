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
        /// The waiter of the caller that has started the flight.
        let first: Waiter<Value>
        let task: Task<Void, Never>
        var priority = Task.currentPriority
        var waiters: [ObjectIdentifier: Waiter<Value>]
    }

    private let flights = Locked<[Key: Flight]>([:])
    private let cancelsWhenAbandoned: Bool

    /// The number of waiting callers, for tests.
    package var waiterCount: Int {
        flights.withLock { flights in flights.values.reduce(0) { $0 + $1.waiters.count } }
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
        flights.withLock { flights in
            // Do not copy the flight: a second reference makes each change copy all waiters.
            if let (task, priority) = flights[key].map({ ($0.task, $0.priority) }) {
                flights[key]?.waiters[ObjectIdentifier(waiter)] = waiter
                if Task.currentPriority > priority {
                    flights[key]?.priority = Task.currentPriority
                    // A task runs at least at the priority of a task that awaits it.
                    Task { await task.value }
                }
                return
            }
            // Creating a task runs none of its code, so it is safe under the lock.
            let task = Task { [self] in land(key, waiter, await Result.of(operation)) }
            flights[key] = Flight(
                first: waiter, task: task, waiters: [ObjectIdentifier(waiter): waiter])
        }
        return try await waiter.wait { leave(waiter, key) }
    }

    private func leave(_ waiter: Waiter<Value>, _ key: Key) {
        let abandoned = flights.withLock { flights -> Flight? in
            flights[key]?.waiters[ObjectIdentifier(waiter)] = nil
            guard cancelsWhenAbandoned, flights[key]?.waiters.isEmpty == true else { return nil }
            return flights.removeValue(forKey: key)
        }
        waiter.answer(.failure(CancellationError()))
        abandoned?.task.cancel()
    }

    private func land(_ key: Key, _ first: Waiter<Value>, _ result: Result<Value, any Error>) {
        let landed = flights.withLock { flights -> Flight? in
            // When an abandoned flight ends, another flight may have the same key.
            guard flights[key]?.first === first else { return nil }
            return flights.removeValue(forKey: key)
        }
        guard let landed else { return }
        for waiter in landed.waiters.values { waiter.answer(result) }
    }
}
