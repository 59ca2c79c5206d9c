import Foundation

/// A file that is deleted once nobody refers to it.
package final class TemporaryFile: Sendable {
    package let url: URL

    /// Creates a file that only this user can read, and writes it.
    ///
    /// - Parameters:
    ///   - directory: The directory to create it in.
    ///   - write: Hands over what to write, a piece at a time.
    /// - Throws: An ``APIError`` that names the file, or what `write` throws.
    init(in directory: URL, write: ((Data) throws -> Void) throws -> Void) throws {
        let url = directory.appending(path: "APIKit-\(UUID().uuidString)")
        let handle = try url.openFile(O_WRONLY | O_CREAT | O_EXCL, permissions: 0o600)
        // From here on the file is deleted, also if writing fails.
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
            // Nobody is left to be told, and the system clears its directory for temporary files.
        }
    }
}
