import Foundation
import Workloads

/// The memory that calls leave behind.
struct Memory {
    /// The growth in bytes that is a failure: 50 bytes for each of 100,000 calls.
    static let limit = 5_000_000

    static let header = "| | calls | growth |\n|---|--:|--:|"

    let workload: Workload
    let callCount: Int
    let growth: Int

    var text: String {
        "| \(workload.name) | \(callCount) | \(String(format: "%.1f MB", Double(growth) / 1_000_000)) |"
    }

    /// Makes calls, and measures how the memory of this process grows.
    init(of workload: Workload, callCount: Int) async throws {
        self.workload = workload
        self.callCount = callCount
        let run = try await workload.prepare()
        // The first calls fill caches.
        for _ in 0..<max(2_000, callCount / 10) { try await run() }
        let before = try Self.resident()
        for _ in 0..<callCount { try await run() }
        growth = try Self.resident() - before
    }

    #if os(Linux)
    private static func resident() throws -> Int {
        let numbers = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        guard let pages = numbers.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
    #else
    // As the tests over real HTTP do on macOS, where the global of `task_info` is not safe in Swift 6.
    private static func resident() throws -> Int {
        var usage = rusage_info_v4()
        let status = withUnsafeMutablePointer(to: &usage) { pointer in
            pointer.withMemoryRebound(to: rusage_info_t?.self, capacity: 1) {
                proc_pid_rusage(getpid(), RUSAGE_INFO_V4, $0)
            }
        }
        guard status == 0 else { throw CocoaError(.featureUnsupported) }
        return Int(usage.ri_phys_footprint)
    }
    #endif
}
