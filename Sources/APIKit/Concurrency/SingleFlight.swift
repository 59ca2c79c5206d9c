/// A primitive that lets any number of callers share one run of an operation.
///
/// Callers that ask for the same key at the same time wait for the same flight: the operation of
/// the first of them, in a new task with the task-local values of that caller. The task runs at the
/// highest priority with which a caller asks. All callers get its value or its error. Once
/// it has landed nothing of it is kept, and the next caller starts another.
///
/// A caller whose task is cancelled leaves at once with `CancellationError`, while the flight goes
/// on for the others. One that is cancelled before it asks starts nothing.
///
/// All of it may be used from any task. No lock is held while an operation runs or a caller is
/// answered.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Flight {
        let id: Int
        let task: Task<Void, Never>
        var priority = Task.currentPriority
        var waiters: [ObjectIdentifier: Waiter<Value>]
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        var count = 0
    }

    private let state = Locked(State())
    private let cancelsWhenAbandoned: Bool

    /// How many callers wait at the moment.
    package var waiterCount: Int {
        state.withLock { state in state.flights.values.reduce(0) { $0 + $1.waiters.count } }
    }

    /// Creates a primitive with nothing in flight.
    ///
    /// - Parameter cancelsWhenAbandoned: Whether a flight is cancelled when its last caller leaves.
    ///   Its key is free from then on, however long the operation takes to end. Otherwise it lives
    ///   on, and a caller that comes later joins it.
    package init(cancelsWhenAbandoned: Bool) {
        self.cancelsWhenAbandoned = cancelsWhenAbandoned
    }

    /// Returns the value of the flight of a key, which is started if there is none.
    ///
    /// - Parameters:
    ///   - key: What is asked for.
    ///   - operation: Makes the value, if this caller is the first.
    /// - Returns: What the operation returned.
    /// - Throws: What the operation threw, or `CancellationError`.
    package func run(
        _ key: Key,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let waiter = Waiter<Value>()
        join(waiter, key, operation)
        return try await withTaskCancellationHandler {
            try await waiter.value
        } onCancel: {
            leave(waiter, key)
        }
    }

    private func join(
        _ waiter: Waiter<Value>,
        _ key: Key,
        _ operation: @escaping @Sendable () async throws -> Value
    ) {
        state.withLock { state in
            if let flight = state.flights[key] {
                state.flights[key]?.waiters[ObjectIdentifier(waiter)] = waiter
                if Task.currentPriority > flight.priority {
                    state.flights[key]?.priority = Task.currentPriority
                    // A task runs at least at the priority of a task that awaits it.
                    Task { await flight.task.value }
                }
                return
            }
            state.count += 1
            let id = state.count
            // Making a task runs nothing of it, so it can be done behind the lock.
            let task = Task { [self] in
                do {
                    land(key, id, .success(try await operation()))
                } catch {
                    land(key, id, .failure(error))
                }
            }
            state.flights[key] = Flight(
                id: id, task: task, waiters: [ObjectIdentifier(waiter): waiter])
        }
    }

    private func leave(_ waiter: Waiter<Value>, _ key: Key) {
        let abandoned = state.withLock { state -> Flight? in
            state.flights[key]?.waiters[ObjectIdentifier(waiter)] = nil
            guard cancelsWhenAbandoned, state.flights[key]?.waiters.isEmpty == true else {
                return nil
            }
            return state.flights.removeValue(forKey: key)
        }
        waiter.answer(.failure(CancellationError()))
        abandoned?.task.cancel()
    }

    private func land(_ key: Key, _ id: Int, _ result: Result<Value, any Error>) {
        let landed = state.withLock { state -> Flight? in
            // An abandoned flight may take its time to end, and another has its key by then.
            guard state.flights[key]?.id == id else { return nil }
            return state.flights.removeValue(forKey: key)
        }
        guard let landed else { return }
        for waiter in landed.waiters.values { waiter.answer(result) }
    }
}
