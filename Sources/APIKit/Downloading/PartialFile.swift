import Foundation

/// The bytes of a download so far, in a file beside its destination.
///
/// The file of `report.pdf` is `.report.pdf.partial`, and `.report.pdf.partial-of` identifies the
/// version of the resource. A lock on the file excludes other downloads, also in other processes.
final class PartialFile: Sendable {
    private struct Contents {
        let file: FileHandle
        var size: Int
        var version: PartialVersion?
        var latestAttempt = 0
        var completedBy: Int?
    }

    private let destination: URL
    private let url: URL
    private let versionURL: URL
    private let contents: Locked<Contents?>

    init(of destination: URL) throws {
        let name = destination.lastPathComponent
        guard destination.isFileURL, !name.isEmpty, name != "/" else {
            throw APIError(notFile: destination)
        }
        guard !destination.hasDirectoryPath else {
            throw APIError(
                .invalidRequest(
                    "\(destination.path) is a directory; append the name of a file to download to"))
        }
        let directory = destination.absoluteURL.deletingLastPathComponent()
        let url = directory.appending(path: ".\(name).partial")
        let versionURL = directory.appending(path: ".\(name).partial-of")
        let contents = try destination.naming {
            _ = try destination.permissionsAfterDownload()
            return try FileHandle.locked(url).map { file in
                let size = Int(exactly: try file.seekToEnd()) ?? 0
                return Contents(
                    file: file, size: size, version: PartialVersion(readFrom: versionURL))
            }
        }
        guard let contents else {
            throw APIError(.invalidRequest("another download to \(destination.path) is under way"))
        }
        (self.destination, self.url, self.versionURL) = (destination, url, versionURL)
        self.contents = Locked(contents)
    }

    /// Starts an attempt, after which earlier attempts can no longer write.
    ///
    /// Returns its number, and the version and the size of the bytes if they are the start of the
    /// representation.
    func startAttempt(
        of identity: RequestIdentity?
    ) throws -> (number: Int, start: (version: PartialVersion, size: Int)?) {
        try contents.withLock { contents in
            contents?.latestAttempt += 1
            guard let contents else { throw CancellationError() }
            guard contents.size > 0, let identity, let version = contents.version,
                version.matches(identity)
            else { return (contents.latestAttempt, nil) }
            return (contents.latestAttempt, (version, contents.size))
        }
    }

    /// Moves the complete body of an attempt to the destination, in one step.
    func finish(_ attempt: Int) async throws {
        let file = try contents.withLock { contents in
            guard let file = contents?.file, contents?.completedBy == attempt else {
                let reason = "an interceptor returned the response of another attempt"
                throw APIError(unreadable: destination, reason)
            }
            // From here on, no attempt may write.
            contents?.latestAttempt += 1
            return file
        }
        // In a separate task, because the download is complete: its cancellation comes too late.
        let moving = Task { [self] in
            // Flushing a large file blocks a thread.
            try await Blocking.run { [self] _ in
                try destination.naming {
                    try file.setMode(destination.permissionsAfterDownload())
                    try file.synchronize()
                    guard try url.isName(of: file) else { throw POSIXError(.ENOENT) }
                    try url.move(to: destination.absoluteURL)
                }
            }
        }
        try await moving.value
    }

    /// Unlocks the file, and deletes it unless a later download can continue it.
    func release() {
        contents.withLock { contents in
            guard let last = contents else { return }
            contents = nil
            // The download's error counts. After a move, the name may be that of another download.
            if last.size == 0 || last.version?.isStored != true,
                (try? url.isName(of: last.file)) == true
            {
                try? versionURL.removeName()
                try? url.removeName()
            }
            try? last.file.unlock()
        }
    }
}

// The steps of an attempt, which throw `CancellationError` once a later attempt has started.
extension PartialFile {
    /// Empties the file, and stores the version of the bytes to come.
    func restart(as version: PartialVersion?, by attempt: Int) throws {
        try discard(by: attempt)
        try update(by: attempt) { contents in
            try contents.file.truncate(atOffset: 0)
            contents.size = 0
            contents.completedBy = nil
            if let version, version.isStored { try version.write(to: versionURL) }
            contents.version = version
        }
    }

    /// Appends a whole chunk, or leaves the file as it was.
    func write(_ chunk: Data, by attempt: Int) throws {
        try update(by: attempt) { contents in
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
    func complete(by attempt: Int) throws {
        try discard(by: attempt)
        try update(by: attempt) { $0.completedBy = attempt }
    }

    /// Prevents a later download from continuing the file.
    func discard(by attempt: Int) throws {
        try update(by: attempt) { contents in
            contents.version = nil
            try versionURL.removeName()
        }
    }

    private func update<Result>(
        by attempt: Int, _ body: (inout Contents) throws -> Result
    ) throws -> Result {
        try contents.withLock { state in
            guard var contents = state, contents.latestAttempt == attempt else {
                throw CancellationError()
            }
            defer { state = contents }
            return try destination.naming { try body(&contents) }
        }
    }
}

extension FileHandle {
    /// Opens and locks a private file, unless another download has locked it.
    static func locked(_ url: URL) throws -> FileHandle? {
        // Another process may replace or delete the file between two steps; then try again.
        for _ in 0..<100 {
            let created = try url.opened(O_CREAT | O_EXCL, unless: .EEXIST)
            guard let file = try created ?? url.opened(O_NONBLOCK, unless: .ENOENT, .ELOOP) else {
                if try url.status()?.type == S_IFLNK { try url.removeName() }
                continue
            }
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

    func unlock() throws {
        // A new child process has a copy of the descriptor until it runs its program.
        flock(fileDescriptor, LOCK_UN)
        try close()
    }
}

extension URL {
    fileprivate func opened(_ flags: Int32, unless codes: POSIXErrorCode...) throws -> FileHandle? {
        do {
            return try openFile(flags | O_RDWR | O_NOFOLLOW, permissions: 0o600)
        } catch let error as APIError
            where codes.contains(where: { $0 == (error.underlying as? POSIXError)?.code })
        {
            return nil
        }
    }

    /// Returns the permissions of the file to replace, which is regular, or of a new file.
    fileprivate func permissionsAfterDownload() throws -> mode_t {
        // Replacing a link to a directory would make its files unreachable.
        if try absoluteURL.status(following: true)?.type == S_IFDIR { throw POSIXError(.EISDIR) }
        guard let status = try absoluteURL.status(), status.type != S_IFLNK else { return 0o600 }
        guard status.type == S_IFREG else {
            throw APIError(unreadable: self, "it is not a regular file")
        }
        return status.st_mode & 0o777
    }
}

extension stat {
    fileprivate var type: mode_t { st_mode & S_IFMT }

    /// Whether others can reach the file neither by permission nor by a hard link.
    var isPrivate: Bool {
        type == S_IFREG && st_mode & 0o077 == 0 && st_uid == geteuid() && st_nlink == 1
    }
}
