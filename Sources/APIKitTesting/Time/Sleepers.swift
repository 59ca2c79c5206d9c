import APIKit

/// The tasks that sleep on a clock.
struct Sleepers {
    private struct Sleeper {
        let deadline: ManualClock.Instant
        let waiter: Waiter<Void>
        let purpose = SleepPurpose.current

        /// Whether the sleep limits other work, which normally ends first.
        var isLimit: Bool { purpose?.isLimit == true }
    }

    private var sleepers: [UInt64: Sleeper] = [:]
    private var lastID: UInt64 = 0

    /// The number of sleepers that are not time limits.
    private(set) var delays = 0

    var count: Int { sleepers.count }

    var earliestDeadline: ManualClock.Instant? { sleepers.values.map(\.deadline).min() }

    /// Adds a sleeper with the purpose of the calling task, and returns its number.
    mutating func add(_ waiter: Waiter<Void>, until deadline: ManualClock.Instant) -> UInt64 {
        let sleeper = Sleeper(deadline: deadline, waiter: waiter)
        lastID += 1
        sleepers[lastID] = sleeper
        if !sleeper.isLimit { delays += 1 }
        return lastID
    }

    mutating func remove(_ id: UInt64) {
        guard let sleeper = sleepers.removeValue(forKey: id), !sleeper.isLimit else { return }
        delays -= 1
    }

    /// Removes the sleepers whose deadlines have passed, and returns their waiters in order.
    mutating func takeDue(at now: ManualClock.Instant) -> [Waiter<Void>] {
        let due = sleepers.filter { $0.value.deadline <= now }
        for id in due.keys { remove(id) }
        return Self.sorted(due).map(\.waiter)
    }

    /// A text with a line for each sleeper, the earliest deadline first.
    func list(at now: ManualClock.Instant) -> String {
        let limit = 20
        var lines = Self.sorted(sleepers).prefix(limit).map { sleeper in
            let rest = now.duration(to: sleeper.deadline)
            let name = sleeper.purpose?.text() ?? "a task"
            return "\n  - \(rest) left, until \(sleeper.deadline.offset): \(name)"
        }
        if count > limit { lines.append("\n  - and \(count - limit) more") }
        return lines.joined()
    }

    private static func sorted(_ sleepers: [UInt64: Sleeper]) -> [Sleeper] {
        sleepers.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value)
    }
}
