import Foundation
import Workloads

/// The options: `--seconds N`, the time for each comparison, `--rounds N`, the number of its rounds,
/// `--calls N`, the number of calls whose memory is measured, and words that select rows.
struct Options {
    private(set) var duration: Duration = .seconds(4)
    private(set) var roundCount = 7
    private(set) var callCount = 100_000
    private var words: [String] = []

    init(_ arguments: some Sequence<String>) throws {
        var arguments = arguments.makeIterator()
        while let argument = arguments.next() {
            guard argument.hasPrefix("-") else {
                words.append(argument.lowercased())
                continue
            }
            let value = arguments.next() ?? ""
            if argument == "--seconds", let seconds = Double(value), seconds > 0 {
                duration = .seconds(seconds)
            } else if argument == "--rounds", let count = Int(value), count > 0 {
                roundCount = count
            } else if argument == "--calls", let count = Int(value), count > 0 {
                callCount = count
            } else {
                FileHandle.standardError.write(
                    Data("Usage: Ratios [--seconds N] [--rounds N] [--calls N] [WORD …]\n".utf8))
                exit(64)
            }
        }
    }

    func wants(_ comparison: Comparison, of group: String) -> Bool {
        wants("\(group) \(comparison.subject.name) \(comparison.baseline.name)")
    }

    func wants(_ row: String) -> Bool {
        let text = row.lowercased()
        return words.isEmpty || words.contains { text.contains($0) }
    }
}
