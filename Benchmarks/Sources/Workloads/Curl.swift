import Foundation

/// The command line tool curl.
enum Curl {
    private static let executable = ProcessInfo.processInfo.environment["PATH", default: ""]
        .split(separator: ":")
        .map { "\($0)/curl" }
        .first(where: FileManager.default.isExecutableFile)

    static var isInstalled: Bool { executable != nil }

    /// Runs curl, and throws an error if a transfer fails.
    static func run(_ arguments: [String]) async throws {
        guard let executable else { throw CocoaError(.fileNoSuchFile) }
        let process = Process()
        process.executableURL = URL(filePath: executable)
        // Without `--disable`, curl reads the user's configuration.
        process.arguments =
            ["--disable", "--no-progress-meter", "--fail", "--noproxy", "*"] + arguments
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        try WrongResult.unless(status == 0)
    }
}

extension Workload {
    /// Returns a workload that runs curl with a new server and a temporary file, or does nothing if
    /// curl is missing.
    static func curl(
        _ name: String, count: Int = 1, byteCount: Int? = nil,
        arguments: @escaping @Sendable (LoopbackServer, TemporaryFile) throws -> [String]
    ) -> Workload {
        guard Curl.isInstalled else {
            return Workload("curl, which is not installed", isAvailable: false) { return {} }
        }
        return Workload(name, count: count, byteCount: byteCount) {
            let server = try LoopbackServer.ofBytes()
            let file = TemporaryFile()
            let arguments = try arguments(server, file)
            return run(keeping: (server, file)) { try await Curl.run(arguments) }
        }
    }
}
