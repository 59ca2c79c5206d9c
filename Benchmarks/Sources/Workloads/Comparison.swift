/// A workload, and a baseline: the same work without this package, or without a part of it.
public struct Comparison: Sendable {
    /// The workload to measure.
    public let subject: Workload

    /// The workload to compare it to.
    public let baseline: Workload

    /// The highest ratio of their times to aim at, if any.
    public let aim: Double?

    /// The ratio that is a failure, in time and in processor time, if any.
    public let limit: Double?

    init(
        _ subject: Workload, to baseline: Workload, aim: Double? = nil, limit: Double? = nil
    ) {
        self.subject = subject
        self.baseline = baseline
        self.aim = aim
        self.limit = limit
    }
}

extension Comparison {
    /// Returns all comparisons by topic.
    public static func groups(
        over transports: [Transport]
    ) -> KeyValuePairs<String, [Comparison]> {
        [
            "Calls": calls,
            "Interceptors and observers": interceptors,
            "Mock responses": responses,
            "Recording files": recordingFiles,
            "Patterns": patterns,
            "Transfers of 16 MB": transfers,
            "Requests on loopback, beside curl": requests(over: transports),
            "Transfers of 256 MB, beside curl": largeTransfers(over: transports),
            "Text of 1 MB": texts,
            "Costs that grow": growth,
        ]
    }
}

extension Workload {
    /// Returns all workloads that can run, each once.
    public static func all(over transports: [Transport]) -> [Workload] {
        var names: Set<String> = []
        return Comparison.groups(over: transports).flatMap(\.value)
            .flatMap { [$0.subject, $0.baseline] }
            .filter { $0.isAvailable && names.insert($0.name).inserted }
    }
}
