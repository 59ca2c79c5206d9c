import Foundation

/// Standard output and standard error.
enum Console {
    /// Whether standard error is a terminal, and not a file or a pipe.
    static var isTerminal: Bool {
        isatty(FileHandle.standardError.fileDescriptor) != 0
    }

    /// Makes every failure of standard output an error, if it is called first in the program.
    ///
    /// - Throws: A `POSIXError` if standard output is closed. The next file that the program opens
    ///   would take its number, and receive the output.
    static func prepare() throws {
        // Otherwise, a write to a pipe without a reader ends the program without a message.
        signal(SIGPIPE, SIG_IGN)
        let output = FileHandle.standardOutput.fileDescriptor
        guard fcntl(output, F_GETFD) >= 0 else { throw POSIXError(.EBADF) }
    }

    /// Writes a line to standard output.
    ///
    /// - Throws: A `CocoaError` if the write fails, for example on a full disk.
    static func output(_ line: String) throws {
        try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Writes a text to standard error, on one line.
    static func error(_ text: String) {
        do {
            try FileHandle.standardError.write(contentsOf: Data("\(text.oneLine)\n".utf8))
        } catch {
            // Standard error may be closed. The exit status still reports a failure.
        }
    }
}
