import Foundation

/// The two places that a program writes to.
enum Console {
    /// Writes a line of output.
    ///
    /// - Throws: The reason why nobody can read it, a full disk for example.
    static func output(_ line: String) throws {
        try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Writes a line for people, apart from the output.
    static func error(_ line: String) {
        do {
            try FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
        } catch {
            // With standard error gone there is no one left to tell; the exit status still does.
        }
    }
}
