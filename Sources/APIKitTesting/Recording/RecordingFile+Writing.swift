import APIKit
import Foundation

extension RecordingFile {
    /// Writes new entries after those of other tests, and returns why it failed, or `nil`.
    ///
    /// Drops the entries that the new ones replace. If parts of a test have recorded equal requests,
    /// such as its arguments, the file keeps the largest number of one part. In the mode `mask`, the
    /// method masks the entries of the file again, with the current rule.
    func write(_ newEntries: [RecordedExchange]) -> String? {
        reason { url in
            let data = try Data(ofExisting: url)
            let present = try data.flatMap(complete) ?? HARFile()
            if mode == .mask {
                // The file that is replayed may be only in the bundle.
                if data == nil { return }
                var secrets = RecordedSecrets(
                    after: present.entries, placeholders: present.placeholders)
                let entries = secrets.redact(present.entries, by: cassette.redaction)
                return try write(entries, secrets, over: data, to: url)
            }
            var all = present.entries.filter { !isReplaced($0) }
            var secrets = RecordedSecrets(after: all, placeholders: present.placeholders)
            let redacted = secrets.redact(newEntries, by: cassette.redaction)
            let keys = ReplayKeys(
                of: (all + redacted).map(\.request), secrets.placeholders, for: cassette)
            var counts: [NamedValues: Int] = [:]
            for (entry, key) in zip(all, keys.recorded) where entry.test == test {
                counts[key, default: 0] += 1
            }
            for entry in entries where entry.test == test {
                counts[keys.key(of: entry.request)]? -= 1
            }
            for (var entry, key) in zip(redacted, keys.recorded.suffix(redacted.count)) {
                if let count = counts[key], count > 0 {
                    counts[key] = count - 1
                } else {
                    entry.test = test
                    all.append(entry)
                }
            }
            try write(all, secrets, over: data, to: url)
        }
    }

    /// Reads a file, unless it has entries with mistakes, which a new file would lack.
    ///
    /// - Returns: The file, or `nil` for a broken one that new entries replace.
    private func complete(_ data: Data) throws -> HARFile? {
        do {
            let file = try HARFile(data: data)
            guard let mistake = file.unreadable.first else { return file }
            throw TestFailure("the file that exists is broken: \(mistake).", at: nil)
        } catch is DecodingError where mode == .all {
            return nil
        }
    }

    /// Returns whether new entries replace one: an entry of an earlier run that belongs to the test,
    /// or to no test, unless the cassette allows unused entries, which other tests may use.
    private func isReplaced(_ entry: RecordedExchange) -> Bool {
        mode == .all && !run.contains(entry)
            && (entry.test == test
                || entry.test == nil && !cassette.options.contains(.allowsUnusedEntries))
    }

    private func write(
        _ entries: [RecordedExchange], _ secrets: RecordedSecrets, over current: Data?, to url: URL
    ) throws {
        let archive = HARFile(entries: entries, placeholders: secrets.placeholders)
        let data = try archive.data
        if let leak = secrets.leak(in: archive, data: data) {
            let remedy = """

                If an entry of an earlier run contains it, mask the file again:
                  \(command.replacing("APIKIT_RECORD=all", with: "APIKIT_RECORD=mask"))
                """
            throw TestFailure(leak + (current == nil || mode == .mask ? "" : remedy), at: nil)
        }
        guard data != current else { return }
        // A symbolic link stays. On Linux, writing in one step loses the permissions.
        let file = url.resolvingSymlinksInPath()
        let mode = try file.status().map { $0.st_mode & 0o777 }
        try data.write(to: file, options: .atomic)
        if let mode { try file.openFile(O_RDONLY).setMode(mode) }
        let count = entries.count == 1 ? "1 entry" : "\(entries.count) entries"
        Notice.write("\(cassette.shownPath): \(count), \(secrets.report(on: entries))")
    }

    /// Runs a closure under the lock of the folder, and returns the text of its error.
    private func reason(_ body: (URL) throws -> Void) -> String? {
        do {
            let url = cassette.fileBesideTest
            let folder = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try folder.whileLocked { try body(url) }
            return nil
        } catch {
            let cause = error is DecodingError ? "the file that exists is broken: " : ""
            let text = (error as? TestFailure)?.message ?? "\(APIError.clause(for: error))."
            return "The recording \(cassette.shownPath) is not written: \(cause)\(text)"
        }
    }
}

extension URL {
    /// Runs a closure under the lock of a folder, which holds for threads and processes.
    fileprivate func whileLocked(_ body: () throws -> Void) throws {
        let lock = try openFile(O_RDONLY)
        // Closing the only descriptor releases the lock.
        defer { try? lock.close() }
        while flock(lock.fileDescriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw POSIXError.last }
        }
        try body()
    }
}
