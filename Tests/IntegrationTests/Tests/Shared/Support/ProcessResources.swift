import Foundation
import Testing

/// The resources that this process uses, or `nil` on systems without `/proc`.
enum ProcessResources {
    /// The resident memory in megabytes.
    static var residentMegabytes: Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
        else { return nil }
        return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 / 1024 }
    }

    /// The number of open files and sockets.
    static var openFiles: Int? {
        try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    /// Runs a closure six times, and expects that it releases its files and its memory.
    static func expectNoGrowth(_ round: () async throws -> Void) async throws {
        var files: [Int] = []
        var memory: [Int] = []
        for _ in 0..<6 {
            try await round()
            files += [openFiles].compactMap { $0 }
            memory += [residentMegabytes].compactMap { $0 }
        }

        // In the first rounds the system opens files and allocates memory that it keeps.
        if let first = files.dropFirst().first, let last = files.last {
            #expect(last <= first + 20, "\(files)")
        }
        if let first = memory.dropFirst(2).first, let last = memory.last {
            #expect(last < first + 30, "\(memory)")
        }
        if Stress.isFull { print("open files: \(files), megabytes: \(memory)") }
    }
}
