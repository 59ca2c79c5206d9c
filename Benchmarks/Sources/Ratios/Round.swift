import Foundation
import Workloads

/// The result of one round of a comparison.
struct Round {
    /// The median time of a repetition.
    let time: (subject: Duration, baseline: Duration)
    /// The wall-clock time of the subject divided by the baseline's.
    let ratio: Double
    /// The processor time of the subject in all threads divided by the baseline's.
    let processorRatio: Double
}

extension Comparison {
    /// Measures the two workloads in turns, so that other work of the machine affects both.
    ///
    /// Each round prepares them again, because the addresses of objects affect the time.
    func measure(for duration: Duration, rounds count: Int) async throws -> [Round] {
        var rounds: [Round] = []
        for _ in 0..<count {
            rounds.append(try await measureRound(for: duration / count))
        }
        return rounds
    }

    private func measureRound(for duration: Duration) async throws -> Round {
        var times = (
            subject: try await Times(of: subject),
            baseline: try await Times(of: baseline)
        )
        let clock = ContinuousClock()
        let start = clock.now
        repeat {
            try await times.subject.takeTurn()
            try await times.baseline.takeTurn()
        } while start.duration(to: clock.now) < duration / 10
        // Runs that take longer than the round are measured once.
        if start.duration(to: clock.now) < duration {
            times.subject.warmedUp()
            times.baseline.warmedUp()
            let end = clock.now.advanced(by: duration)
            repeat {
                try await times.subject.takeTurn()
                try await times.baseline.takeTurn()
            } while clock.now < end
        }
        return Round(
            time: (times.subject.median, times.baseline.median),
            ratio: times.subject.median / times.baseline.median,
            processorRatio: times.subject.processorMedian / times.baseline.processorMedian)
    }
}

extension [Round] {
    /// Returns whether the median ratios of the time and of the processor time are above a limit.
    ///
    /// Other work of the machine can raise one of them.
    func exceed(_ limit: Double?) -> Bool {
        guard let limit else { return false }
        return map(\.ratio).median > limit && map(\.processorRatio).median > limit
    }
}
