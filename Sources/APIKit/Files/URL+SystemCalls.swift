import Foundation

extension URL {
    /// Opens the file at this URL.
    ///
    /// `open(2)` can open a pipe without waiting for its writer, and create a file that only this
    /// user can read. `FileHandle` cannot.
    ///
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/file(_:)``, or of kind
    ///   ``APIError/Kind/invalidRequest(_:)`` if this is not a file URL.
    package func openFile(_ flags: Int32, permissions: mode_t = 0) throws -> FileHandle {
        try withPath { path in
            let descriptor = open(path, flags | O_CLOEXEC, permissions)
            guard descriptor >= 0 else { throw APIError(.file(self), underlying: POSIXError.last) }
            return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        }
    }

    /// Creates a file in this directory that only this user can read.
    func newTemporaryFile() throws -> (url: URL, handle: FileHandle) {
        let url = appending(path: "APIKit-\(UUID().uuidString)")
        return (url, try url.openFile(O_RDWR | O_CREAT | O_EXCL, permissions: 0o600))
    }

    /// The status of the file at this URL, or `nil` if there is none.
    package func status(following: Bool = false) throws -> stat? {
        try withPath { path in
            var status = stat()
            if (following ? stat(path, &status) : lstat(path, &status)) == 0 { return status }
            guard errno == ENOENT else { throw POSIXError.last }
            return nil
        }
    }

    /// Whether the URL refers to an open file.
    func isName(of file: FileHandle) throws -> Bool {
        let (mine, open) = (try status(), try file.status())
        return mine?.st_dev == open.st_dev && mine?.st_ino == open.st_ino
    }

    /// Renames the file, and replaces any file that already has the new name.
    package func move(to other: URL) throws {
        try withPath { path in
            try other.withPath { newPath in
                guard rename(path, newPath) == 0 else { throw POSIXError.last }
            }
        }
    }

    /// Deletes the file or link at this URL, if there is one, but no directory.
    package func removeName() throws {
        try withPath { path in
            guard unlink(path) == 0 || errno == ENOENT else { throw POSIXError.last }
        }
    }

    /// Runs a file operation, and wraps its error in an `APIError` that names this file.
    func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw APIError(.file(self), underlying: (error as? APIError)?.underlying ?? error)
        }
    }

    /// Calls a closure with the path of the file at this URL, for a system call.
    ///
    /// - Throws: The error of the closure, or an ``APIError`` of kind
    ///   ``APIError/Kind/invalidRequest(_:)`` if this is not a file URL.
    func withPath<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) throws -> Result {
        try withUnsafeFileSystemRepresentation { path in
            // Platforms resolve a relative path differently.
            guard isFileURL, let path, path.pointee == UInt8(ascii: "/") else {
                throw APIError(notFile: self)
            }
            return try body(path)
        }
    }
}

extension FileHandle {
    /// The status of the open file.
    func status() throws -> stat {
        var status = stat()
        guard fstat(fileDescriptor, &status) == 0 else { throw POSIXError.last }
        return status
    }

    /// Sets the permissions, unless the file already has them.
    package func setMode(_ mode: mode_t) throws {
        // A volume without permissions refuses every change.
        guard try status().st_mode & 0o777 != mode else { return }
        guard fchmod(fileDescriptor, mode) == 0 else { throw POSIXError.last }
    }
}

extension POSIXError {
    /// The error of the last system call that failed on this thread.
    package static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
