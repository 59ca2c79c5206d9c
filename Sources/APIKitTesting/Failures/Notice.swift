import Foundation

/// A line for the developer, which is not a failure.
enum Notice {
    /// Writes a line to standard error.
    static func write(_ text: String) {
        // A line that cannot be written must not fail the test.
        try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8))
    }
}
