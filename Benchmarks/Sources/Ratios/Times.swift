import Foundation
import Workloads

/// How long the runs of a workload take.
struct Times {
    private let run: Workload.Run
    private var times: [Duration] = []
    private var processorTimes: [Duration] = []

    init(of run: @escaping Workload.Run) {
        self.run = run
    }

    /// The median time of a run.
    var median: Duration { times.median }

    /// The median of the time that the processors work for a run.
    var processorMedian: Duration { processorTimes.median }

    /// Times some runs in a row.
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

    /// How long the processors have worked for this process, in all of its threads.
    private static func processorTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

extension Array where Element: Comparable {
    /// The element that as many are smaller than as are greater; of two such, the greater.
    var median: Element { sorted()[count / 2] }
}
