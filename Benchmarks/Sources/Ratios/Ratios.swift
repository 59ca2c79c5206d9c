import Foundation
import Transports
import Workloads

/// Measures each workload in turns with its baseline, and prints a Markdown table.
@main
struct Ratios {
    static func main() async throws {
        let options = try Options(CommandLine.arguments.dropFirst())
        for (title, comparisons) in Comparison.groups(over: Transport.all) {
            let wanted = comparisons.filter { options.wants($0, of: title) }
            guard !wanted.isEmpty else { continue }
            try show("\n### \(title)\n\n\(Row.header)")
            for comparison in wanted {
                let rounds = try await comparison.measure(
                    for: options.duration, rounds: options.roundCount)
                try show(Row(comparison, rounds).text)
            }
        }
    }

    /// Writes text immediately; `print` buffers its output to a pipe.
    private static func show(_ text: String) throws {
        try FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
    }
}
