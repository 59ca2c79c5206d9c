import Foundation
import Workloads

/// Counts the allocations of each comparison's workloads, and prints them for `.ci/costs`.
///
/// A row is the count of the subject, that of the baseline, and their names, with tabs between them.
@main
struct Costs {
    static func main() async throws {
        let counter = try AllocationCounter()
        var counts: [String: Double] = [:]
        for comparison in Comparison.costs {
            for workload in [comparison.subject, comparison.baseline]
            where counts[workload.name] == nil {
                do {
                    counts[workload.name] = try await counter.count(of: workload)
                } catch {
                    print("The row of \(workload.name) failed: \(error)")
                    exit(1)
                }
            }
            let (subject, baseline) = (comparison.subject.name, comparison.baseline.name)
            print(counts[subject] ?? 0, counts[baseline] ?? 0, subject, baseline, separator: "\t")
        }
    }
}

/// The counter in the library that the process has to preload.
struct AllocationCounter {
    private let total: @convention(c) () -> Int

    init() throws {
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "allocationCount") else {
            throw CocoaError(.featureUnsupported)
        }
        total = unsafeBitCast(symbol, to: (@convention(c) () -> Int).self)
    }

    /// Returns the allocations of one run: the least of three rounds, because other threads may add some.
    func count(of workload: Workload) async throws -> Double {
        let runs = workload.count == 1 ? 1_000 : 50
        var least = Double.infinity
        for _ in 0..<3 {
            let run = try await workload.prepare()
            // The first runs fill caches.
            for _ in 0..<runs / 2 { try await run() }
            let start = total()
            for _ in 0..<runs { try await run() }
            least = min(least, Double(total() - start) / Double(runs))
        }
        return least
    }
}
