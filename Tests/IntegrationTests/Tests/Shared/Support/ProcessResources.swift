import Foundation
import Testing

/// The resources that this process uses, or `nil` if the system does not report them.
enum ProcessResources {
    /// The resident memory in megabytes; on macOS, the memory that counts against the process.
    static var residentMegabytes: Int? {
        #if os(macOS)
        var usage = rusage_info_v4()
        let status = withUnsafeMutablePointer(to: &usage) { pointer in
            pointer.withMemoryRebound(to: rusage_info_t?.self, capacity: 1) {
                proc_pid_rusage(getpid(), RUSAGE_INFO_V4, $0)
            }
        }
        return status == 0 ? Int(usage.ri_phys_footprint >> 20) : nil
        #else
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
        else { return nil }
        return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 / 1024 }
        #endif
    }

    /// The number of open files and sockets.
    static var openFiles: Int? {
        #if os(macOS)
        let folder = "/dev/fd"
        #else
        let folder = "/proc/self/fd"
        #endif
        return try? FileManager.default.contentsOfDirectory(atPath: folder).count
    }

    /// The number of loads in a round of `expectNoGrowth`.
    static let loadsInARound = Stress.isFull ? 2_000 : 1_000

    /// Runs rounds of loads, and expects that they release their files and their memory.
    ///
    /// Over the last three rounds, the limit of 5 MB is less than two kilobytes for each load, and less
    /// than one under stress.
    static func expectNoGrowth(_ round: () async throws -> Void) async throws {
        var files: [Int] = []
        var memory: [Int] = []
        for _ in 0..<6 {
            try await round()
            files.append(try #require(openFiles))
            memory.append(try #require(residentMegabytes))
        }

        // In the first rounds the system opens files and allocates memory that it keeps.
        #expect(try #require(files[at: 5]) <= #require(files[at: 2]) + 20, "\(files)")
        #expect(try #require(memory[at: 5]) <= #require(memory[at: 2]) + 5, "\(memory)")
        if Stress.isFull { print("open files: \(files), megabytes: \(memory)") }
    }
}
