import Foundation
import Workloads

/// The times of the runs of a workload.
struct Times {
    private let run: Workload.Run
    private let count: Int
    private var length = 1
    private var times: [Duration] = []
    private var processorTimes: [Duration] = []

    init(of workload: Workload) async throws {
        run = try await workload.prepare()
        count = workload.count
    }

    /// The median time of a repetition.
    var median: Duration { times.median / count }

    /// The median processor time of a repetition.
    var processorMedian: Duration { processorTimes.median / count }

    /// Measures the consecutive runs of a turn.
    mutating func takeTurn() async throws {
        let clock = ContinuousClock()
        let start = Self.processorTime()
        for _ in 0..<length { times.append(try await clock.measure(run)) }
        processorTimes.append((Self.processorTime() - start) / length)
    }

    /// Ends the warm-up, and sets the number of runs in a turn of about a millisecond.
    ///
    /// A turn of that length includes the work that a run starts on other threads.
    mutating func warmedUp() {
        length = times.median < .milliseconds(1) ? 10 : 1
        times = []
        processorTimes = []
    }

    #if os(Linux)
    private static let ended = RUSAGE_CHILDREN.rawValue
    #else
    private static let ended = RUSAGE_CHILDREN
    #endif

    /// The processor time of all threads of this process, and of the child processes that ended.
    private static func processorTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        var children = rusage()
        getrusage(ended, &children)
        return .seconds(time.tv_sec + children.ru_utime.tv_sec + children.ru_stime.tv_sec)
            + .nanoseconds(time.tv_nsec)
            + .microseconds(children.ru_utime.tv_usec + children.ru_stime.tv_usec)
    }
}

extension Array where Element: Comparable {
    /// The median element, or the greater of the two if the count is even.
    var median: Element { sorted()[count / 2] }
}
