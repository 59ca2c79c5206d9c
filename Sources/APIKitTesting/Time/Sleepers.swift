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

    /// The place of a sleeper in the order in which they resume.
    private typealias Place = (deadline: ManualClock.Instant, id: UInt64)

    private var sleepers: [UInt64: Sleeper] = [:]
    /// The places of all sleepers in order, in a slice because it removes its start quickly.
    private var places: ArraySlice<Place> = []
    private var lastID: UInt64 = 0

    /// The number of sleepers that are not time limits.
    private(set) var delays = 0

    var count: Int { sleepers.count }

    var earliestDeadline: ManualClock.Instant? { places.first?.deadline }

    /// Adds a sleeper with the purpose of the calling task, and returns its number.
    mutating func add(_ waiter: Waiter<Void>, until deadline: ManualClock.Instant) -> UInt64 {
        let sleeper = Sleeper(deadline: deadline, waiter: waiter)
        lastID += 1
        sleepers[lastID] = sleeper
        let place: Place = (deadline, lastID)
        places.insert(place, at: index(of: place))
        if !sleeper.isLimit { delays += 1 }
        return lastID
    }

    mutating func remove(_ id: UInt64) {
        guard let sleeper = take(id) else { return }
        places.remove(at: index(of: (sleeper.deadline, id)))
    }

    /// Removes the sleepers whose deadlines have passed, and returns their waiters in order.
    mutating func takeDue(at now: ManualClock.Instant) -> [Waiter<Void>] {
        let due = places.prefix { $0.deadline <= now }
        places.removeFirst(due.count)
        return due.compactMap { take($0.id)?.waiter }
    }

    /// A text with a line for each sleeper, the earliest deadline first.
    func list(at now: ManualClock.Instant) -> String {
        let limit = 20
        var lines = places.prefix(limit).compactMap { sleepers[$0.id] }.map { sleeper in
            let rest = now.duration(to: sleeper.deadline)
            let name = sleeper.purpose?.text() ?? "a task"
            return "\n  - \(rest) left, until \(sleeper.deadline.offset): \(name)"
        }
        if count > limit { lines.append("\n  - and \(count - limit) more") }
        return lines.joined()
    }

    /// Removes a sleeper except for its place, and returns it.
    private mutating func take(_ id: UInt64) -> Sleeper? {
        let sleeper = sleepers.removeValue(forKey: id)
        if sleeper?.isLimit == false { delays -= 1 }
        return sleeper
    }

    /// Returns the index of a place, or the index at which to insert it.
    private func index(of place: Place) -> Int {
        var (low, high) = (places.startIndex, places.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if places[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
