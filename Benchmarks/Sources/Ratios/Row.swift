import Foundation
import Workloads

/// A row of the table.
struct Row {
    let text: String

    static let header = """
        | | time | beside | time | ratio | rounds | CPU | aim |
        |---|--:|---|--:|--:|--:|--:|--:|
        """

    init(_ comparison: Comparison, _ rounds: [Round]) {
        let ratios = rounds.map(\.ratio).sorted()
        let cells = [
            comparison.subject.name,
            Self.text(of: rounds.map(\.time.subject).median, for: comparison.subject),
            comparison.baseline.name,
            Self.text(of: rounds.map(\.time.baseline).median, for: comparison.baseline),
            Self.text(of: ratios.median),
            "\(Self.text(of: ratios[0]))–\(Self.text(of: ratios[ratios.count - 1]))",
            Self.text(of: rounds.map(\.processorRatio).median),
            comparison.aim.map { "≤ \(Self.text(of: $0))" } ?? "",
        ]
        text = "| \(cells.joined(separator: " | ")) |"
    }

    private static func text(of ratio: Double) -> String { String(format: "%.2f", ratio) }

    private static func text(of time: Duration, for workload: Workload) -> String {
        if let byteCount = workload.byteCount {
            let rate = Double(byteCount) / 1_000_000 / (time / .seconds(1))
            return String(format: "%.1f ms, %.0f MB/s", time / .milliseconds(1), rate)
        }
        return String(format: "%.2f µs", time / .microseconds(1))
    }
}
