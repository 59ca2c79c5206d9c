import Foundation

extension URL {
    /// Opens the file at this URL.
    ///
    /// By the system's own function: it alone can open a pipe without waiting for its writer, and
    /// create a file that nobody else may read.
    ///
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/file(_:)``, or of kind
    ///   ``APIError/Kind/invalidRequest(_:)`` if this is not the URL of a file.
    func openFile(_ flags: Int32, permissions: mode_t = 0) throws -> FileHandle {
        try withPath { path in
            let descriptor = open(path, flags | O_CLOEXEC, permissions)
            guard descriptor >= 0 else { throw APIError.ofLastSystemCall(on: self) }
            return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        }
    }

    /// Calls a closure with the path of the file at this URL, for the functions of the system.
    ///
    /// - Throws: What the closure throws, or an ``APIError`` of kind
    ///   ``APIError/Kind/invalidRequest(_:)`` if this is not the URL of a file.
    func withPath<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) throws -> Result {
        try withUnsafeFileSystemRepresentation { path in
            // The system reads a relative path of a URL in one way here and in another there.
            guard isFileURL, let path, path.pointee == UInt8(ascii: "/") else {
                throw APIError(
                    .invalidRequest("\(Redaction.text(of: self)) is not the URL of a file"))
            }
            return try body(path)
        }
    }
}

extension APIError {
    /// Creates the error for a file that there is something wrong with, in words.
    init(unreadable url: URL, _ reason: String) {
        let words = [NSLocalizedDescriptionKey: reason]
        self.init(.file(url), underlying: CocoaError(.fileReadUnknown, userInfo: words))
    }

    /// The error of a function of the system that has just failed on a file.
    static func ofLastSystemCall(on url: URL) -> APIError {
        APIError(.file(url), underlying: POSIXError.last)
    }
}
