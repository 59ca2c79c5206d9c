/// A workload beside another that does the same with less, or without this package.
public struct Comparison: Sendable {
    /// The workload in question.
    public let subject: Workload

    /// What it is compared with.
    public let baseline: Workload

    /// The factor by which the subject may take longer, if there is one to aim at.
    public let aim: Double?

    init(_ subject: Workload, to baseline: Workload, aim: Double? = nil) {
        self.subject = subject
        self.baseline = baseline
        self.aim = aim
    }
}

extension Comparison {
    /// All comparisons, by what they are about.
    public static let groups: KeyValuePairs<String, [Comparison]> = [
        "Calls": calls,
        "Interceptors and observers": interceptors,
        "Many calls at once": crowds,
        "Answers of a server": answers,
        "Routes": routes,
        "Patterns": patterns,
        "Transfers of 16 MB": transfers,
        "Text of 1 MB": texts,
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
