import Foundation

extension URL {
    /// Returns the URLs of the partial file and of the file that identifies it.
    func partialFiles() throws -> (URL, URL) {
        let name = lastPathComponent
        guard isFileURL, !name.isEmpty, name != "/" else {
            throw APIError(notFile: self)
        }
        // The suffixes must not exceed the limit of a volume: 255 bytes, or 143 if it is encrypted.
        let partial = ".\(name.utf8.count > 128 ? name.shortName : name).partial"
        let directory = absoluteURL.deletingLastPathComponent()
        return (directory.appending(path: partial), directory.appending(path: "\(partial)-of"))
    }
}

extension String {
    /// A hash of the name, which ignores case and composition because the volume may ignore them.
    fileprivate var shortName: String {
        let folded = lowercased().decomposedStringWithCanonicalMapping
        let digest = SHA256.digest(of: Data(folded.utf8))
        return digest.prefix(16).map { String(format: "%02x", $0) }.joined()
    }
}

extension FileHandle {
    /// Creates a file that only this user can read, or opens an earlier download's file, and locks
    /// it.
    ///
    /// - Returns: The file, or `nil` if a download in this or another process has locked it.
    static func locked(_ url: URL) throws -> FileHandle? {
        // Another process may replace or delete the file between two steps; then try again.
        for _ in 0..<100 {
            let created = try url.opened(O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, unless: .EEXIST)
            guard let file = try created ?? url.reopened() else { continue }
            guard flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else {
                guard errno == EWOULDBLOCK else { throw POSIXError.last }
                return nil
            }
            // The previous owner of the lock may have moved or deleted the file.
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

extension stat {
    /// Whether this is a regular file with a single hard link, and only this user can access it.
    ///
    /// In a directory that others can write to, the name may refer to another user's file, or be a
    /// hard link to another file of this user.
    var isPrivate: Bool {
        st_mode & S_IFMT == S_IFREG && st_mode & 0o077 == 0 && st_uid == geteuid() && st_nlink == 1
    }
}
