import Foundation
import Transports
import Workloads

/// Measures the growth of a process's peak memory during a transfer of 256 MB.
///
/// Each transfer runs in a separate process, because the peak of a process never decreases.
@main
struct PeakMemory {
    private static let byteCount = 256 << 20

    static func main() async throws {
        guard let name = CommandLine.arguments.dropFirst().first else { return try printTable() }
        let before = try await peak(after: name, of: 1 << 16)
        let after = try await peak(after: name, of: byteCount)
        print("\(before) \(after)")
    }

    private static func printTable() throws {
        print("| 256 MB by | before | peak | growth |\n|---|--:|--:|--:|")
        for workload in Workload.transfers(over: Transport.all, byteCount: byteCount) {
            let peaks = try peaks(of: workload.name)
            let cells = (peaks + [peaks[1] - peaks[0]]).map { bytes in
                String(format: "%.1f MB", Double(bytes) / 1_000_000)
            }
            print("| \(workload.name) | \(cells.joined(separator: " | ")) |")
        }
    }

    /// Runs a transfer in a new process, and returns the peaks before and after it.
    private static func peaks(of name: String) throws -> [Int] {
        let process = Process()
        let output = Pipe()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [name]
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let peaks = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            .compactMap { Int($0) }
        guard process.terminationStatus == 0, peaks.count == 2 else {
            throw CocoaError(.executableLoad)
        }
        return peaks
    }

    /// Runs a transfer, and returns the peak memory of this process in bytes.
    private static func peak(after name: String, of byteCount: Int) async throws -> Int {
        let workload = Workload.transfers(over: Transport.all, byteCount: byteCount)
            .first { $0.name == name }
        guard let workload else { throw CocoaError(.featureUnsupported) }
        try await workload.prepare()()
        return try peak()
    }

    #if os(Linux)
    // On Linux, the peak of `getrusage` includes that of the parent process.
    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first
        else { throw CocoaError(.featureUnsupported) }
        return (Int(kilobytes) ?? 0) * 1_024
    }
    #else
    private static func peak() throws -> Int {
        var usage = rusage()
        getrusage(RUSAGE_SELF, &usage)
        return usage.ru_maxrss
    }
    #endif
}
