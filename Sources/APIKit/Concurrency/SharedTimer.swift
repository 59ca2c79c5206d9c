/// Calls closures at their deadlines, with a single sleep of a system clock.
///
/// Most limits are canceled long before they run out, and a canceled sleep of the system keeps 700
/// bytes until its deadline. Here a canceled limit leaves nothing.
final class SharedTimer<C: Clock>: Sendable where C.Duration == Duration {
    private struct State {
        /// The actions by their numbers.
        ///
        /// Few limits run out, so the search for the next deadline at the end of a sleep may take time.
        var actions: [Int: (deadline: C.Instant, run: @Sendable () -> Void)] = [:]
        var count = 0
        /// The current sleep of the clock, which ends no later than the earliest deadline.
        var alarm: (deadline: C.Instant, task: Task<Void, any Error>)?
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
    /// - Returns: A closure that cancels the action, unless it already runs.
    func schedule(
        at deadline: C.Instant, _ run: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        guard deadline > clock.now else {
            run()
            return {}
        }
        let id = state.withLock { state in
            state.count += 1
            state.actions[state.count] = (deadline, run)
            setAlarm(&state, for: deadline)
            return state.count
        }
        return { [state] in
            let removed = state.withLock { $0.actions.removeValue(forKey: id) }
            // With no lock held, release the values that the closure captures.
            withExtendedLifetime(removed) {}
        }
    }

    /// Starts a sleep of the clock for a deadline, unless the current one ends early enough.
    private func setAlarm(_ state: inout State, for deadline: C.Instant) {
        guard state.alarm.map({ deadline < $0.deadline }) ?? true else { return }
        // Some systems count in nanoseconds, which overflow after some centuries. A sleep that ends
        // early does no harm: the next one starts.
        let deadline = min(deadline, clock.now.advanced(by: .seconds(1 << 30)))
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
            let due = state.actions.filter { $0.value.deadline <= now }
            for id in due.keys { state.actions[id] = nil }
            // An alarm that was replaced can still go off. It must not clear its successor.
            if state.alarm?.deadline == deadline { state.alarm = nil }
            if let next = state.actions.values.map(\.deadline).min() { setAlarm(&state, for: next) }
            return due.values
        }
        for action in due { action.run() }
    }
}

/// The timers of the system's clocks.
enum SharedTimers {
    static let continuous = SharedTimer(ContinuousClock())
    static let suspending = SharedTimer(SuspendingClock())
}
