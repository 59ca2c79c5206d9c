import Foundation
import Workloads

/// The times of the runs of a workload.
struct Times {
    private let run: Workload.Run
    private var times: [Duration] = []
    private var processorTimes: [Duration] = []

    init(of run: @escaping Workload.Run) {
        self.run = run
    }

    /// The median time of a run.
    var median: Duration { times.median }

    /// The median processor time of a run.
    var processorMedian: Duration { processorTimes.median }

    /// Measures a number of consecutive runs.
    mutating func takeTurn(of length: Int) async throws {
        let clock = ContinuousClock()
        let start = Self.processorTime()
        for _ in 0..<length { times.append(try await clock.measure(run)) }
        processorTimes.append((Self.processorTime() - start) / length)
    }

    mutating func removeAll() {
        times = []
        processorTimes = []
    }

    /// The processor time of all threads of this process.
    private static func processorTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

extension Array where Element: Comparable {
    /// The median element, or the greater of the two if the count is even.
    var median: Element { sorted()[count / 2] }
}
