import Foundation

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
}
