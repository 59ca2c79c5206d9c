import Foundation

extension FileHandle {
    /// Creates a file that only this user can read, or opens the one of an earlier download, and
    /// locks it.
    ///
    /// - Returns: The file, or `nil` if a download in this or in another process has locked it.
    static func locked(_ url: URL) throws -> FileHandle? {
        // Another process may replace or delete the file between two steps; then try again.
        for _ in 0..<100 {
            let created = try url.opened(O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, unless: .EEXIST)
            guard let file = try created ?? url.reopened() else { continue }
            guard flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else {
                guard errno == EWOULDBLOCK else { throw POSIXError.last }
                return nil
            }
            // The download that had the lock before may have moved or deleted the file.
            guard try url.isName(of: file) else { continue }
            if try created != nil || file.status().isPrivate { return file }
            try url.removeName()
        }
        return nil
    }

    /// Unlocks and closes the file.
    ///
    /// Closing alone is not enough. A new child process has a copy of the descriptor until it runs
    /// its program, and an autorelease pool may delay the deallocation.
    func unlock() throws {
        flock(fileDescriptor, LOCK_UN)
        try close()
    }
}

extension URL {
    /// Opens an existing file, or deletes a symbolic link and returns `nil`.
    fileprivate func reopened() throws -> FileHandle? {
        do {
            return try opened(O_RDWR | O_NOFOLLOW | O_NONBLOCK, unless: .ENOENT)
        } catch let error as APIError where error.code == .ELOOP {
            try removeName()
            return nil
        }
    }

    fileprivate func opened(_ flags: Int32, unless code: POSIXErrorCode) throws -> FileHandle? {
        do {
            return try openFile(flags, permissions: 0o600)
        } catch let error as APIError where error.code == code {
            return nil
        }
    }
}

extension APIError {
    fileprivate var code: POSIXErrorCode? { (underlying as? POSIXError)?.code }
}
