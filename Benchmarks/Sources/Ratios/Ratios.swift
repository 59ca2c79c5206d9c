import Foundation
import Workloads

/// Times each workload in turns with what it is compared to, and prints a table in Markdown.
@main
struct Ratios {
    static func main() async throws {
        let options = try Options(CommandLine.arguments.dropFirst())
        for (title, comparisons) in Comparison.groups {
            let wanted = comparisons.filter { options.wants($0, of: title) }
            guard !wanted.isEmpty else { continue }
            try show("\n### \(title)\n\n\(Row.header)")
            for comparison in wanted {
                let rounds = try await comparison.measure(for: options.duration)
                try show(Row(comparison, rounds).text)
            }
        }
    }

    /// Prints text at once, as `print` does not where the output goes into a pipe.
    private static func show(_ text: String) throws {
        try FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
    }
}
