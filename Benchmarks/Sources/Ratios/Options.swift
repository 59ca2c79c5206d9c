import Foundation
import Workloads

/// The options: `--seconds N`, the time for each comparison, and words that select comparisons.
struct Options {
    private(set) var duration: Duration = .seconds(4)
    private var words: [String] = []

    init(_ arguments: some Sequence<String>) throws {
        var arguments = arguments.makeIterator()
        while let argument = arguments.next() {
            guard argument.hasPrefix("-") else {
                words.append(argument.lowercased())
                continue
            }
            guard argument == "--seconds", let seconds = arguments.next().flatMap(Double.init),
                seconds > 0
            else {
                FileHandle.standardError.write(
                    Data("Usage: Ratios [--seconds N] [WORD …]\n".utf8))
                exit(64)
            }
            duration = .seconds(seconds)
        }
    }

    func wants(_ comparison: Comparison, of group: String) -> Bool {
        let text = "\(group) \(comparison.subject.name) \(comparison.baseline.name)".lowercased()
        return words.isEmpty || words.contains { text.contains($0) }
    }
}
