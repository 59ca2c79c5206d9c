/// Calls closures at their deadlines, with a single sleep of a system clock.
///
/// Most limits are canceled long before they run out, and a canceled sleep of the system keeps 700
/// bytes until its deadline. Here a canceled limit leaves a small entry, which is soon removed.
final class SharedTimer<C: Clock>: Sendable where C.Duration == Duration {
    // A struct, because each access to a bare closure in generic storage adds a wrapper.
    private struct Action {
        let run: @Sendable () -> Void
    }

    private struct State {
        var actions: [Int: Action] = [:]
        /// The deadlines of the actions, including some canceled actions.
        var deadlines = Heap()
        var count = 0
        /// The current sleep of the clock, which ends no later than the earliest deadline.
        var alarm: (deadline: C.Instant, task: Task<Void, any Error>)?
    }

    private let clock: C
    private let state = Locked(State())

    /// The number of actions and the number of deadlines, for tests.
    var counts: (actions: Int, deadlines: Int) {
        state.withLock { ($0.actions.count, $0.deadlines.items.count) }
    }

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
            state.actions[state.count] = Action(run: run)
            state.deadlines.insert((deadline, state.count))
            setAlarm(&state)
            return state.count
        }
        return { self.cancel(id) }
    }

    private func cancel(_ id: Int) {
        let removed = state.withLock { state -> Action? in
            let removed = state.actions.removeValue(forKey: id)
            // Keep the deadlines of canceled actions until there are many. Removing each of them
            // immediately would cost more.
            let items = state.deadlines.items
            guard items.count > 2 * state.actions.count + 64 else { return removed }
            let live = Set(state.actions.keys)
            // An ordered array is a heap.
            state.deadlines.items = items.filter { live.contains($0.id) }
                .sorted { $0.deadline < $1.deadline }
            return removed
        }
        // With no lock held, release the values that the closure captures.
        withExtendedLifetime(removed) {}
    }

    /// Starts a sleep of the clock, unless the current one ends early enough.
    private func setAlarm(_ state: inout State) {
        guard let first = state.deadlines.items.first?.deadline,
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
            var due: [Action] = []
            let now = clock.now
            while let first = state.deadlines.items.first,
                first.deadline <= now || state.actions[first.id] == nil
            {
                state.deadlines.removeFirst()
                if let action = state.actions.removeValue(forKey: first.id) { due.append(action) }
            }
            // An alarm that was replaced can still go off. It must not clear its successor.
            if state.alarm?.deadline == deadline { state.alarm = nil }
            setAlarm(&state)
            return due
        }
        for action in due { action.run() }
    }
}

extension SharedTimer {
    /// A binary heap, whose first item has the earliest deadline.
    fileprivate struct Heap {
        var items: [(deadline: C.Instant, id: Int)] = []

        mutating func insert(_ item: (deadline: C.Instant, id: Int)) {
            items.append(item)
            var index = items.count - 1
            while index > 0, case let parent = (index - 1) / 2,
                items[index].deadline < items[parent].deadline
            {
                items.swapAt(index, parent)
                index = parent
            }
        }

        mutating func removeFirst() {
            items.swapAt(0, items.count - 1)
            items.removeLast()
            var index = 0
            while true {
                var least = index
                for child in (2 * index + 1)...(2 * index + 2)
                where child < items.count && items[child].deadline < items[least].deadline {
                    least = child
                }
                guard least != index else { return }
                items.swapAt(index, least)
                index = least
            }
        }
    }
}

/// The timers of the system's clocks.
enum SharedTimers {
    static let continuous = SharedTimer(ContinuousClock())
    static let suspending = SharedTimer(SuspendingClock())
}
