import Foundation

/// A file that is deleted when its last reference is released.
package final class TemporaryFile: Sendable {
    package let url: URL

    /// Creates a file that only this user can read, and writes its content.
    ///
    /// - Parameters:
    ///   - directory: The directory of the file.
    ///   - write: Passes each piece of the content to the closure that it receives.
    /// - Throws: An ``APIError`` that names the file, or the error of `write`.
    init(in directory: URL, write: ((Data) throws -> Void) throws -> Void) throws {
        let url = directory.appending(path: "APIKit-\(UUID().uuidString)")
        let handle = try url.openFile(O_WRONLY | O_CREAT | O_EXCL, permissions: 0o600)
        // From here on, `deinit` deletes the file, even if writing fails.
        self.url = url
        try write { piece in
            do {
                try handle.write(contentsOf: piece)
            } catch {
                throw APIError(.file(url), underlying: error)
            }
        }
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            // There is no caller to report to, and the system clears its temporary directory.
        }
    }
}
