/// Calls closures at their deadlines, with a single sleep of a system clock.
///
/// Most limits are canceled long before they run out, and a canceled sleep of the system keeps 700
/// bytes until its deadline. Here a canceled limit leaves nothing.
final class SharedTimer<C: Clock>: Sendable where C.Duration == Duration {
    private struct Action {
        let deadline: C.Instant
        let id: Int
        let run: @Sendable () -> Void
    }

    private struct State {
        /// The actions in the order of their deadlines.
        ///
        /// A new deadline is usually the last one, so an array costs no more than a heap.
        var actions: [Action] = []
        var count = 0
        /// The current sleep of the clock, which ends no later than the earliest deadline.
        var alarm: (deadline: C.Instant, task: Task<Void, any Error>)?

        /// Returns the index of the first action after a deadline and the number of an action.
        func index(after deadline: C.Instant, _ id: Int) -> Int {
            var (low, high) = (0, actions.count)
            while low < high {
                let middle = (low + high) / 2
                let action = actions[middle]
                let isAfter =
                    action.deadline == deadline ? action.id > id : action.deadline > deadline
                if isAfter { high = middle } else { low = middle + 1 }
            }
            return low
        }
    }

    private let clock: C
    private let state = Locked(State())

    /// The number of actions, for tests.
    var count: Int { state.withLock { $0.actions.count } }

    init(_ clock: C) {
        self.clock = clock
    }

    /// Calls a closure at a deadline, on any thread, or at once if the deadline has passed.
    ///
    /// - Returns: A closure that removes the action, which may still be called at this moment.
    func schedule(
        at deadline: C.Instant, _ run: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        guard deadline > clock.now else {
            run()
            return {}
        }
        let id = state.withLock { state in
            state.count += 1
            let action = Action(deadline: deadline, id: state.count, run: run)
            state.actions.insert(action, at: state.index(after: deadline, state.count))
            setAlarm(&state)
            return state.count
        }
        return { self.cancel(id, at: deadline) }
    }

    private func cancel(_ id: Int, at deadline: C.Instant) {
        let removed = state.withLock { state -> Action? in
            let index = state.index(after: deadline, id) - 1
            guard index >= 0, state.actions[index].id == id else { return nil }
            return state.actions.remove(at: index)
        }
        // With no lock held, release the values that the closure captures.
        withExtendedLifetime(removed) {}
    }

    /// Starts a sleep of the clock, unless the current one ends early enough.
    private func setAlarm(_ state: inout State) {
        guard let first = state.actions.first?.deadline,
            state.alarm.map({ first < $0.deadline }) ?? true
        else { return }
        // Some systems count in nanoseconds, which overflow after some centuries. A sleep that ends
        // early does no harm: the next one starts.
        let deadline = min(first, clock.now.advanced(by: .seconds(1 << 30)))
        state.alarm?.task.cancel()
        // Detached, because it outlives the calling task, and must not retain its local values.
        let task = Task.detached(priority: .high) { [self] in
            try await clock.sleep(until: deadline, tolerance: nil)
            runActions(at: deadline)
        }
        state.alarm = (deadline, task)
    }

    /// Calls the actions that are due, at the end of a sleep.
    private func runActions(at deadline: C.Instant) {
        let due = state.withLock { state in
            let now = clock.now
            let due = state.actions.prefix { $0.deadline <= now }
            state.actions.removeFirst(due.count)
            // An alarm that was replaced can still go off. It must not clear its successor.
            if state.alarm?.deadline == deadline { state.alarm = nil }
            setAlarm(&state)
            return due
        }
        for action in due { action.run() }
    }
}

/// The timers of the system's clocks.
enum SharedTimers {
    static let continuous = SharedTimer(ContinuousClock())
    static let suspending = SharedTimer(SuspendingClock())
}
