import Foundation

/// The bytes of a download that have arrived, in a file beside its destination.
///
/// For `report.pdf` it is `.report.pdf.partial`, and `.report.pdf.partial-of` identifies the version
/// of the resource. A lock on the file excludes other downloads, in this process and in others. Two
/// spellings of a name share the lock if they name one file on the volume.
final class PartialFile: Sendable {
    /// The contents of the file.
    struct Contents {
        let file: FileHandle
        var size: Int
        /// The version of the resource in the file, if a later attempt can append the rest.
        var version: PartialVersion?
        /// The attempt that wrote a whole body.
        var completedBy: Int?
    }

    private struct State {
        var contents: Contents?
        var attempts = 0
    }

    let destination: URL
    private let url: URL
    private let versionURL: URL
    private let state: Locked<State>

    /// Creates the file, or opens the one of an earlier download, and locks it.
    ///
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/invalidRequest(_:)`` if the destination is
    ///   not the URL of a file or has another download, and of kind ``APIError/Kind/file(_:)`` if no
    ///   file can be created there.
    init(of destination: URL) throws {
        let (url, versionURL) = try destination.partialFiles()
        let contents = try destination.naming {
            try destination.checkIsReplaceable()
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
        self.destination = destination
        self.url = url
        self.versionURL = versionURL
        state = Locked(State(contents: contents))
    }

    /// Starts an attempt, and ends the right of earlier attempts to write.
    func startAttempt() -> PartialFileWriter {
        state.withLock { state in
            state.attempts += 1
            return PartialFileWriter(file: self, attempt: state.attempts)
        }
    }

    /// Calls a closure that changes the contents, with the URL of the version file.
    ///
    /// - Throws: `CancellationError` for an attempt that is not the latest, and otherwise an
    ///   ``APIError`` that names the destination.
    func update<Result>(
        by attempt: Int, _ body: (inout Contents, _ versionURL: URL) throws -> Result
    ) throws -> Result {
        try state.withLock { state in
            guard var contents = state.contents, attempt == state.attempts else {
                throw CancellationError()
            }
            defer { state.contents = contents }
            return try destination.naming { try body(&contents, versionURL) }
        }
    }

    /// Moves the body that an attempt has completed to the destination, in one step.
    ///
    /// - Throws: An ``APIError`` that names the destination. It also throws if the body belongs to
    ///   another attempt.
    func finish(_ writer: PartialFileWriter) async throws {
        // Flushing a large file blocks a thread. The download is complete; cancellation is ignored.
        let waiter = Waiter<Void>()
        Blocking.start { [self] in waiter.answer(Result { try move(writer) }) }
        try await waiter.value
    }

    private func move(_ writer: PartialFileWriter) throws {
        try state.withLock { state in
            guard writer.file === self, let contents = state.contents,
                contents.completedBy == writer.attempt
            else {
                throw APIError(
                    unreadable: destination,
                    "an interceptor returned the response of another attempt")
            }
            try destination.naming {
                let mode = try destination.modeWhenReplaced(probe: versionURL)
                try contents.file.changeMode(to: mode)
                try contents.file.synchronize()
                guard try url.isName(of: contents.file) else { throw POSIXError(.ENOENT) }
                try url.move(to: destination.absoluteURL)
            }
        }
    }

    /// Unlocks the file, and deletes it unless a later download can continue it.
    func release() {
        state.withLock { state in
            guard let contents = state.contents else { return }
            state.contents = nil
            let isKept = contents.size > 0 && contents.version?.isStored == true
            // The caller receives the error of the download, not that of the cleanup.
            if !isKept { try? delete(contents.file) }
            try? contents.file.unlock()
        }
    }

    private func delete(_ file: FileHandle) throws {
        // After a move, the file with this name may belong to another download.
        guard try url.isName(of: file) else { return }
        try versionURL.removeName()
        try url.removeName()
    }
}
