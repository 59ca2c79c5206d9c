import APIKit
import Foundation

/// The memory that this process takes up at the moment, where the system tells.
enum ResidentMemory {
    /// The size in megabytes, or `nil` off Linux.
    static var megabytes: Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
        else { return nil }
        return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 / 1024 }
    }
}
