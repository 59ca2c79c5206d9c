import Foundation
import Transports
import Workloads

/// Measures each workload in turns with its baseline, and prints a Markdown table.
///
/// Exits with the status 1 if a row fails, or if its ratio or its memory exceeds its limit.
@main
struct Ratios {
    static func main() async throws {
        let options = try Options(CommandLine.arguments.dropFirst())
        var exceeded: [String] = []
        for (title, comparisons) in Comparison.groups(over: Transport.all) {
            let wanted = comparisons.filter { options.wants($0, of: title) }
            guard !wanted.isEmpty else { continue }
            try show("\n### \(title)\n\n\(Row.header)")
            for comparison in wanted {
                let rounds: [Round]
                do {
                    rounds = try await comparison.measure(
                        for: options.duration, rounds: options.roundCount)
                } catch {
                    try fail("The row of \(comparison.subject.name) failed: \(error)")
                }
                try show(Row(comparison, rounds).text)
                if rounds.exceed(comparison.limit) { exceeded.append(comparison.subject.name) }
            }
        }
        let memory = Workload.calls.filter { options.wants("Memory of calls \($0.name)") }
        if !memory.isEmpty { try show("\n### Memory of calls\n\n\(Memory.header)") }
        for workload in memory {
            let row: Memory
            do {
                row = try await Memory(of: workload, callCount: options.callCount)
            } catch {
                try fail("The calls with \(workload.name) failed: \(error)")
            }
            try show(row.text)
            guard row.growth < Memory.limit else {
                try fail("The calls with \(workload.name) leave memory behind.")
            }
        }
        guard exceeded.isEmpty else {
            let names = exceeded.joined(separator: "\n")
            try fail("The cost of these rows grows too fast:\n\(names)")
        }
    }

    private static func fail(_ message: String) throws -> Never {
        try FileHandle.standardError.write(contentsOf: Data("\(message)\n".utf8))
        exit(1)
    }

    /// Writes text immediately; `print` buffers its output to a pipe.
    private static func show(_ text: String) throws {
        try FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
    }
}
