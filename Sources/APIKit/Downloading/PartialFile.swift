import Foundation

/// The bytes of a download so far, in a file beside its destination.
///
/// The file of `report.pdf` is `.report.pdf.partial`, and `.report.pdf.partial-of` identifies the
/// version of the resource. A lock on the file excludes other downloads, in this and other processes.
/// Two spellings of a name share the lock if they name one file on the volume.
final class PartialFile: Sendable {
    /// The contents of the file, until the download ends.
    private struct Contents {
        let file: FileHandle
        var size: Int
        /// The version of the resource in the file, if a later attempt can append the rest.
        var version: PartialVersion?
        /// The number of the only attempt that may write.
        var latestAttempt = 0
        /// The attempt that wrote a whole body.
        var completedBy: Int?
        /// The permissions of a new file, once a body has started.
        var mode: mode_t?
    }

    private let destination: URL
    private let url: URL
    private let versionURL: URL
    private let contents: Locked<Contents?>

    /// Creates the file or opens an earlier download's file, and locks it.
    ///
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/invalidRequest(_:)`` if the destination is
    ///   not a file URL or another download writes to it, and of kind ``APIError/Kind/file(_:)`` if
    ///   no file can be created there.
    init(of destination: URL) throws {
        let (url, versionURL) = try destination.partialFiles()
        let contents = try destination.naming {
            _ = try destination.replacedFile()
            return try FileHandle.locked(url).map { file in
                Contents(
                    file: file, size: Int(try file.seekToEnd()),
                    version: PartialVersion(readFrom: versionURL))
            }
        }
        guard let contents else {
            throw APIError(
                .invalidRequest("another download to \(destination.path) is under way"))
        }
        (self.destination, self.url, self.versionURL) = (destination, url, versionURL)
        self.contents = Locked(contents)
    }

    /// Starts an attempt, after which earlier attempts can no longer write.
    func startAttempt() -> Writer {
        contents.withLock { contents in
            contents?.latestAttempt += 1
            return Writer(file: self, attempt: contents?.latestAttempt ?? 0)
        }
    }

    /// Moves the complete body of an attempt to the destination, in one step.
    ///
    /// - Throws: An ``APIError`` that names the destination. It also throws if the body belongs to
    ///   another attempt.
    func finish(_ writer: Writer) async throws {
        // Flushing a large file blocks a thread. Ignore cancellation: the download is complete.
        let waiter = Waiter<Void>()
        Blocking.start { [self] in waiter.answer(Result { try move(writer) }) }
        try await waiter.value
    }

    private func move(_ writer: Writer) throws {
        try contents.withLock { contents in
            guard writer.file === self, let contents, contents.completedBy == writer.attempt else {
                throw APIError(
                    unreadable: destination,
                    "an interceptor returned the response of another attempt")
            }
            try destination.naming {
                let mode =
                    try destination.replacedFile().map { $0.st_mode & 0o777 }
                    ?? contents.mode ?? versionURL.modeOfNewFile()
                try contents.file.setMode(mode)
                try contents.file.synchronize()
                guard try url.isName(of: contents.file) else { throw POSIXError(.ENOENT) }
                try url.move(to: destination.absoluteURL)
            }
        }
    }

    /// Unlocks the file, and deletes it unless a later download can continue it.
    func release() {
        contents.withLock { contents in
            guard let last = contents else { return }
            contents = nil
            let isKept = last.size > 0 && last.version?.isStored == true
            // Report the download's error, not the cleanup's.
            if !isKept { try? delete(last.file) }
            try? last.file.unlock()
        }
    }

    private func delete(_ file: FileHandle) throws {
        // After a move, the file with this name may belong to another download.
        guard try url.isName(of: file) else { return }
        try versionURL.removeName()
        try url.removeName()
    }
}

extension PartialFile {
    /// Writes the bytes of one attempt.
    ///
    /// Its functions throw `CancellationError` once a later attempt has started or the download has
    /// ended, and otherwise an ``APIError`` that names the destination.
    struct Writer: Sendable {
        fileprivate let file: PartialFile
        fileprivate let attempt: Int

        /// Returns the bytes in the file if they are the start of a representation.
        func start(of identity: RepresentationIdentity) throws -> PartialStart? {
            try update { contents, _ in
                guard contents.size > 0, let version = contents.version, version.matches(identity)
                else { return nil }
                return PartialStart(size: contents.size, version: version)
            }
        }

        /// Empties the file, and stores the version of the bytes to come.
        func restart(as version: PartialVersion?) throws {
            try discard()
            try update { contents, versionURL in
                contents.mode = try versionURL.modeOfNewFile()
                try contents.file.truncate(atOffset: 0)
                contents.size = 0
                contents.completedBy = nil
                if let version, version.isStored { try version.write(to: versionURL) }
                contents.version = version
            }
        }

        /// Appends a whole chunk, or leaves the file as it was.
        func write(_ chunk: Data) throws {
            try update { contents, _ in
                do {
                    try contents.file.write(contentsOf: chunk)
                    contents.size += chunk.count
                } catch {
                    // A disk that becomes full takes a part of the chunk.
                    try contents.file.truncate(atOffset: UInt64(contents.size))
                    throw error
                }
            }
        }

        /// Marks the body as complete, so that a later download does not continue it.
        func complete() throws {
            try discard()
            try update { contents, _ in contents.completedBy = attempt }
        }

        /// Prevents a later download from continuing the file.
        func discard() throws {
            try update { contents, versionURL in
                contents.version = nil
                try versionURL.removeName()
            }
        }

        private func update<Result>(
            _ body: (inout Contents, _ versionURL: URL) throws -> Result
        ) throws -> Result {
            try file.contents.withLock { state in
                guard var contents = state, contents.latestAttempt == attempt else {
                    throw CancellationError()
                }
                defer { state = contents }
                return try file.destination.naming { try body(&contents, file.versionURL) }
            }
        }
    }
}

extension URL {
    /// Returns the usual permissions of a new file, from a file that it creates here and deletes.
    ///
    /// Reading the umask means changing it for the whole process. Call this before a body arrives: it
    /// fails on a volume without a free inode, where a complete body would be lost.
    fileprivate func modeOfNewFile() throws -> mode_t {
        try removeName()
        let file = try openFile(O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o666)
        try removeName()
        return try file.status().st_mode & 0o777
    }

    /// Returns the status of the regular file that a download replaces, or `nil` if there is none.
    ///
    /// - Throws: An error if this is a directory, device, pipe or socket.
    fileprivate func replacedFile() throws -> stat? {
        guard let status = try absoluteURL.status() else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return status
        case S_IFDIR: throw POSIXError(.EISDIR)
        case S_IFLNK:
            // Replacing a link to a directory would make its files unreachable.
            let target = try absoluteURL.status(following: true)
            if let target, target.st_mode & S_IFMT == S_IFDIR { throw POSIXError(.EISDIR) }
            return nil
        default: throw APIError(unreadable: self, "it is not a regular file")
        }
    }
}
