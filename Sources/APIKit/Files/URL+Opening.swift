import Foundation

extension URL {
    /// Opens the file at this URL.
    ///
    /// `open(2)` can open a pipe without waiting for its writer, and create a file that only this
    /// user can read. `FileHandle` cannot.
    ///
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/file(_:)``, or of kind
    ///   ``APIError/Kind/invalidRequest(_:)`` if this is not a file URL.
    func openFile(_ flags: Int32, permissions: mode_t = 0) throws -> FileHandle {
        try withPath { path in
            let descriptor = open(path, flags | O_CLOEXEC, permissions)
            guard descriptor >= 0 else { throw APIError.ofLastSystemCall(on: self) }
            return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
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
                throw APIError(
                    .invalidRequest("\(Redaction.text(of: self)) is not a file URL"))
            }
            return try body(path)
        }
    }
}

extension APIError {
    /// Creates the error for a file that cannot be read, with a reason.
    init(unreadable url: URL, _ reason: String) {
        let words = [NSLocalizedDescriptionKey: reason]
        self.init(.file(url), underlying: CocoaError(.fileReadUnknown, userInfo: words))
    }

    /// Returns the error for a file on which the last system call failed.
    static func ofLastSystemCall(on url: URL) -> APIError {
        APIError(.file(url), underlying: POSIXError.last)
    }
}

extension POSIXError {
    /// The error of the last system call that failed on this thread.
    package static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
