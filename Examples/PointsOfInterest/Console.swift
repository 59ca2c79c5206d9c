import Foundation

/// Standard output and standard error.
enum Console {
    /// Writes a line to standard output.
    ///
    /// - Throws: A `CocoaError` if the write fails, for example on a full disk.
    static func output(_ line: String) throws {
        try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Writes a line to standard error.
    static func error(_ line: String) {
        do {
            try FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
        } catch {
            // Standard error may be closed. The exit status still reports a failure.
        }
    }
}
