import Foundation
import Workloads

/// The result of one round of a comparison.
struct Round {
    /// The median time of a run, divided by its repetitions.
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
            subject: Times(of: try await subject.prepare()),
            baseline: Times(of: try await baseline.prepare())
        )
        let clock = ContinuousClock()
        var length = 1
        let start = clock.now
        // The first turns warm up, and determine the number of runs in a turn of about a
        // millisecond. A turn of that length includes the work that a run starts on other threads.
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
        // The two workloads may have different numbers of repetitions.
        let counts = (subject: Double(subject.count), baseline: Double(baseline.count))
        let scale = counts.baseline / counts.subject
        return Round(
            time: (
                times.subject.median / counts.subject, times.baseline.median / counts.baseline
            ),
            ratio: scale * (times.subject.median / times.baseline.median),
            processorRatio: scale
                * (times.subject.processorMedian / times.baseline.processorMedian))
    }
}
