#if os(macOS) || os(Linux)
import Foundation

/// The shell of the system.
enum Shell {
    /// The arguments and the standard input that a command passes to curl.
    struct Invocation: Equatable, Sendable {
        var arguments: [String]
        var input: Data
    }

    /// Runs commands in which curl is a shell function that prints its arguments and input.
    static func invocations(of commands: [String]) async throws -> [Invocation] {
        let folder = try TemporaryDirectory()
        for (index, command) in commands.enumerated() {
            _ = try folder.file("\(index)", Data(command.utf8))
        }
        _ = try await run(
            """
            curl() { printf '%s\\0' "$#" "$@"; cat; }
            cd '\(folder.url.path)' && for file in *; do (. "./$file") >"$file.out"; done
            """)
        return try commands.indices.map {
            invocation(from: try Data(contentsOf: folder.url("\($0).out")))
        }
    }

    private static func invocation(from output: Data) -> Invocation {
        var rest = output[...]
        func next() -> String {
            let word = rest.prefix { $0 != 0 }
            rest = rest[word.endIndex...].dropFirst()
            return String(decoding: word, as: UTF8.self)
        }
        let count = Int(next()) ?? 0
        let arguments = (0..<count).map { _ in next() }
        return Invocation(arguments: arguments, input: Data(rest))
    }

    /// Whether a program is installed.
    static func finds(_ program: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }

    /// Runs a command, and returns its standard output.
    ///
    /// `Process` is not used: on Linux with Swift 6.3.1, its `run()` copies 256 bytes of each name in
    /// `/proc/self/fd`. With 1,365 open files or more, it reads beyond the list, and the run can end
    /// with signal 11.
    static func run(_ command: String, by shell: String = "/bin/sh") async throws -> Data {
        // A long command exceeds the limit for one argument, so the shell reads it from a file.
        let script = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sh")
        try Data(command.utf8).write(to: script)
        defer { try? FileManager.default.removeItem(at: script) }
        // Waiting for a process blocks the thread, and a thread of the concurrency pool must not
        // block.
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try output(of: script, by: shell) })
            }
        }
    }

    private static func output(of script: URL, by shell: String) throws -> Data {
        guard let stream = popen("\(shell) '\(script.path)' </dev/null", "r") else {
            throw POSIXError(.ENOMEM)
        }
        defer { pclose(stream) }
        var output = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 {
            output += buffer[..<count]
        }
        return output
    }
}
#endif
