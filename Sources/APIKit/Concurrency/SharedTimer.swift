/// Lets many tasks sleep on a clock of the system with a single timer.
///
/// Most limits are canceled long before they run out, and a canceled sleep of the system keeps 700
/// bytes until its deadline. Here it leaves at most a small entry, which is soon removed.
final class SharedTimer<C: Clock>: Sendable where C.Duration == Duration {
    private struct Alarm {
        let deadline: C.Instant
        let task: Task<Void, any Error>
    }

    private struct State {
        var sleepers: [Int: Waiter<Void>] = [:]
        /// The deadlines of the sleepers, and of some that have been canceled.
        var deadlines = Heap()
        var count = 0
        /// The current sleep of the system, which ends no later than the earliest deadline.
        var alarm: Alarm?
    }

    private let clock: C
    private let state = Locked(State())

    /// The numbers of sleepers and of their deadlines, for tests.
    var counts: (sleepers: Int, deadlines: Int) {
        state.withLock { ($0.sleepers.count, $0.deadlines.count) }
    }

    init(_ clock: C) {
        self.clock = clock
    }

    /// Sleeps until a deadline.
    ///
    /// - Throws: `CancellationError` as soon as the task is canceled.
    func sleep(until deadline: C.Instant) async throws {
        try Task.checkCancellation()
        guard deadline > clock.now else { return }
        let waiter = Waiter<Void>()
        let id = state.withLock { state in
            state.count += 1
            state.sleepers[state.count] = waiter
            state.deadlines.insert(.init(deadline: deadline, id: state.count))
            setAlarm(&state)
            return state.count
        }
        try await withTaskCancellationHandler {
            try await waiter.value
        } onCancel: {
            cancel(id)
            waiter.answer(.failure(CancellationError()))
        }
    }

    private func cancel(_ id: Int) {
        state.withLock { state in
            state.sleepers[id] = nil
            // The deadlines of canceled sleepers stay until there are many. To find each at once would
            // cost more.
            guard state.deadlines.count > 2 * state.sleepers.count + 64 else { return }
            let live = Set(state.sleepers.keys)
            state.deadlines = Heap(state.deadlines.items.filter { live.contains($0.id) })
        }
    }

    /// Starts a sleep of the system, unless the current one ends early enough.
    private func setAlarm(_ state: inout State) {
        guard let first = state.deadlines.first?.deadline,
            state.alarm.map({ first < $0.deadline }) ?? true
        else { return }
        // Some systems count in nanoseconds, which overflow after some centuries. An early end does no
        // harm.
        let deadline = min(first, clock.now.advanced(by: .seconds(1 << 30)))
        state.alarm?.task.cancel()
        // Detached, because it outlives the task that sleeps, and must not retain its local values.
        let task = Task.detached(priority: .high) { [self] in
            try await clock.sleep(until: deadline, tolerance: nil)
            wakeSleepers(at: deadline)
        }
        state.alarm = Alarm(deadline: deadline, task: task)
    }

    /// Wakes the sleepers whose time is up, at the end of a sleep of the system.
    private func wakeSleepers(at deadline: C.Instant) {
        let woken = state.withLock { state in
            var woken: [Waiter<Void>] = []
            let now = clock.now
            while let first = state.deadlines.first,
                first.deadline <= now || state.sleepers[first.id] == nil
            {
                state.deadlines.removeFirst()
                if let sleeper = state.sleepers.removeValue(forKey: first.id) {
                    woken.append(sleeper)
                }
            }
            // An alarm that was replaced as it went off leaves the other one alone.
            if state.alarm?.deadline == deadline { state.alarm = nil }
            setAlarm(&state)
            return woken
        }
        for sleeper in woken { sleeper.answer(.success(())) }
    }
}

extension SharedTimer {
    fileprivate struct Item {
        let deadline: C.Instant
        let id: Int
    }

    /// A binary heap, whose first item has the earliest deadline.
    fileprivate struct Heap {
        private(set) var items: [Item] = []

        var first: Item? { items.first }
        var count: Int { items.count }

        init() {}

        init(_ items: [Item]) {
            // An ordered array is a heap.
            self.items = items.sorted { $0.deadline < $1.deadline }
        }

        mutating func insert(_ item: Item) {
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
