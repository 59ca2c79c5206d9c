import Foundation
import Workloads

/// What one round has found out about a comparison.
struct Round {
    /// The median time of a run.
    let time: (subject: Duration, baseline: Duration)
    /// How many times longer the subject takes by the clock.
    let ratio: Double
    /// How many times longer the processors work for it, in whatever thread.
    let processorRatio: Double
}

extension Comparison {
    private static let roundCount = 7

    /// Times the two workloads in turns.
    ///
    /// Whatever else the machine does meanwhile happens to both. Each round prepares them anew, as
    /// where an object happens to be in memory is a matter of luck.
    func measure(for duration: Duration) async throws -> [Round] {
        var rounds: [Round] = []
        for _ in 0..<Self.roundCount {
            rounds.append(try await measureRound(for: duration / Self.roundCount))
        }
        return rounds
    }

    private func measureRound(for duration: Duration) async throws -> Round {
        var times = (
            subject: Times(of: try await subject.prepare()),
            baseline: Times(of: try await baseline.prepare())
        )
        let clock = ContinuousClock()
        var length = 1
        let start = clock.now
        // The first turn only warms up, and shows how many runs make a turn of a millisecond: long
        // enough that what a run leaves to other threads is counted as a part of that run.
        repeat {
            try await times.subject.takeTurn(of: length)
            try await times.baseline.takeTurn(of: length)
        } while start.duration(to: clock.now) < duration / 10
        length = times.baseline.median < .milliseconds(1) ? 10 : 1
        times.subject.removeAll()
        times.baseline.removeAll()
        let end = clock.now.advanced(by: duration)
        repeat {
            try await times.subject.takeTurn(of: length)
            try await times.baseline.takeTurn(of: length)
        } while clock.now < end
        return Round(
            time: (times.subject.median, times.baseline.median),
            ratio: times.subject.median / times.baseline.median,
            processorRatio: times.subject.processorMedian / times.baseline.processorMedian)
    }
}
