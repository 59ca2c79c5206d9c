/// A workload, and a baseline: the same work without this package, or without a part of it.
public struct Comparison: Sendable {
    /// The workload to measure.
    public let subject: Workload

    /// The workload to compare it to.
    public let baseline: Workload

    /// The highest ratio of their times to aim at, if any.
    public let aim: Double?

    init(_ subject: Workload, to baseline: Workload, aim: Double? = nil) {
        self.subject = subject
        self.baseline = baseline
        self.aim = aim
    }
}

extension Comparison {
    /// All comparisons by topic.
    public static let groups: KeyValuePairs<String, [Comparison]> = [
        "Calls": calls,
        "Interceptors and observers": interceptors,
        "Mock responses": responses,
        "Recording files": recordingFiles,
        "Patterns": patterns,
        "Transfers of 16 MB": transfers,
        "Text of 1 MB": texts,
        "Costs that grow": growth,
    ]
}

extension Workload {
    /// All workloads, each once.
    public static var all: [Workload] {
        var names: Set<String> = []
        return Comparison.groups.flatMap(\.value)
            .flatMap { [$0.subject, $0.baseline] }
            .filter { names.insert($0.name).inserted }
    }
}
