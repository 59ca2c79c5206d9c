import APIKit
import Foundation

extension RecordingFile {
    /// Writes new entries, after those that another test has written.
    ///
    /// The file is written whole or not at all. Of equal requests that several tests have recorded, it
    /// keeps as many as the test with the most of them has recorded. So a test may call the method
    /// again with further entries.
    ///
    /// - Parameter newEntries: All entries that the test has recorded, with their secrets.
    /// - Returns: The reason why the file is not written, or `nil`.
    func write(_ newEntries: [HAREntry]) -> String? {
        do {
            let url = cassette.recordedFile
            let folder = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try FolderLock.withLock(folder) { try merge(newEntries, into: url) }
            return nil
        } catch let error as JSONError {
            return "\(refusal): the file that exists is broken: \(error.place): \(error.reason)."
        } catch let problem as RecordingProblem {
            return "\(refusal): \(problem)"
        } catch {
            return "\(refusal): \(APIError.text(of: error))."
        }
    }

    private var refusal: String { "The recording \(cassette.shownPath) is not written" }

    private func merge(_ newEntries: [HAREntry], into url: URL) throws {
        let current = try Data(ofExisting: url)
        var merged = keptEntries(of: try current.map(presentEntries) ?? [], besides: newEntries)
        var table = SecretTable(after: merged)
        let redacted = zip(table.redact(newEntries, by: cassette.redaction), newEntries)
            .map { $0.fittingLengths(afterRedacting: $1) }
        // How often each request occurs in the file, and how often the test has received it.
        var counts = merged.counts(of: cassette)
        var received = entries.counts(of: cassette)
        for entry in redacted {
            let key = RequestKey(entry.request, of: cassette, isRecorded: true)
            received[key, default: 0] += 1
            guard received[key, default: 0] > counts[key, default: 0] else { continue }
            counts[key, default: 0] += 1
            merged.append(entry)
        }
        let archive = HARFile(entries: merged)
        let data = archive.data
        if let leak = table.leak(in: archive, data: data) { throw RecordingProblem(leak) }
        // The atomic write would replace a symbolic link by a file.
        let file = url.resolvingSymlinksInPath()
        if data != current { try data.write(to: file, options: .atomic) }
    }

    private func presentEntries(of data: Data) throws -> [HAREntry] {
        do {
            return try HARFile(data: data).entries
        } catch is JSONError where mode == .all {
            return []
        }
    }

    /// Returns the present entries that new ones do not replace.
    ///
    /// If the cassette does not require all entries, those of other requests belong to other tests.
    private func keptEntries(of present: [HAREntry], besides new: [HAREntry]) -> [HAREntry] {
        var replaced = replaced
        if !cassette.requiresAllEntries {
            let made = new.counts(of: cassette)
            replaced.removeAll {
                made[RequestKey($0.request, of: cassette, isRecorded: true)] == nil
            }
        }
        var kept = present
        for entry in replaced {
            if let index = kept.firstIndex(of: entry) { kept.remove(at: index) }
        }
        return kept
    }
}

extension [HAREntry] {
    fileprivate func counts(of cassette: Cassette) -> [RequestKey: Int] {
        reduce(into: [:]) {
            $0[RequestKey($1.request, of: cassette, isRecorded: true), default: 0] += 1
        }
    }
}

extension HAREntry {
    /// Returns the entry with the lengths of its redacted bodies.
    fileprivate func fittingLengths(afterRedacting original: HAREntry) -> HAREntry {
        var entry = self
        if request.body.count != original.request.body.count {
            entry.request.headers.setLength(request.body.count)
        }
        if response.body.count != original.response.body.count {
            entry.response.headers.setLength(response.body.count)
        }
        return entry
    }
}

extension [HAREntry.Field] {
    /// Sets the value of `Content-Length`, if the field exists.
    mutating func setLength(_ count: Int) {
        for index in indices where self[index].name.lowercased() == "content-length" {
            self[index].value = "\(count)"
        }
    }
}

/// An exclusive lock on a folder, for all threads and processes.
private enum FolderLock {
    static func withLock(_ folder: URL, _ body: () throws -> Void) throws {
        // A child process with the descriptor would keep the lock.
        let descriptor = open(folder.path(percentEncoded: false), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError.last }
        // Closing the only descriptor releases the lock.
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw POSIXError.last }
        }
        try body()
    }
}
