import Foundation

extension URL {
    /// Returns the URLs of the partial file and of the file that identifies it.
    func partialFiles() throws -> (URL, URL) {
        let name = lastPathComponent
        guard isFileURL, !name.isEmpty, name != "/" else {
            throw APIError(.invalidRequest("\(Redaction.text(of: self)) is not a file URL"))
        }
        let directory = absoluteURL.deletingLastPathComponent()
        let limit = try directory.withPath { pathconf($0, Int32(_PC_NAME_MAX)) }
        let partial = name.partialName(upTo: limit > 0 ? limit : 255)
        return (
            directory.appendingPathComponent(partial),
            directory.appendingPathComponent("\(partial)-of")
        )
    }

    /// Runs a file operation, and throws its error as one that names this file.
    func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw APIError(
                .file(self), underlying: (error as? APIError)?.underlying ?? error)
        }
    }

    /// Throws if a download must not replace this file: a directory, device, pipe or socket.
    func checkIsReplaceable() throws {
        let url = absoluteURL
        switch try url.status().map({ $0.st_mode & S_IFMT }) {
        case nil, S_IFREG: break
        case S_IFLNK:
            // Replacing a link to a directory would make its files unreachable.
            if try url.status(following: true).map({ $0.st_mode & S_IFMT }) == S_IFDIR {
                throw POSIXError(.EISDIR)
            }
        case S_IFDIR: throw POSIXError(.EISDIR)
        default: throw APIError(unreadable: self, "it is not a regular file")
        }
    }

    /// Returns the permissions for a file that replaces this one: the same, or those of a new file.
    ///
    /// Reading the umask means changing it for the whole process. Instead, the system applies it to
    /// a probe, a file that is created and deleted.
    func modeWhenReplaced(probe: URL) throws -> mode_t {
        try checkIsReplaceable()
        if let replaced = try absoluteURL.status(), replaced.st_mode & S_IFMT == S_IFREG {
            return replaced.st_mode & 0o777
        }
        try probe.removeName()
        let file = try probe.openFile(
            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o666)
        try probe.removeName()
        return try file.status().st_mode & 0o777
    }
}

extension String {
    /// The name of the partial file for a file with this name.
    fileprivate func partialName(upTo limit: Int) -> String {
        func room(_ stem: String) -> Int { limit - ".\(stem).partial-of".utf8.count }
        guard room(self) < 0 else { return ".\(self).partial" }
        // The hash distinguishes long names. It ignores case and composition, as the volume may.
        let folded = lowercased().decomposedStringWithCanonicalMapping
        let hash = SHA256.digest(of: Data(folded.utf8)).prefix(8)
            .map { String(format: "%02x", $0) }.joined()
        var start = self
        while !start.isEmpty, room("\(start)~\(hash)") < 0 { start.removeLast() }
        return ".\(start)~\(hash).partial"
    }
}
