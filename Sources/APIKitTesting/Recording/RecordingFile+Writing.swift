import APIKit
import Foundation

extension RecordingFile {
    /// Writes new entries after those of other tests, and returns why it failed, or `nil`.
    ///
    /// If several tests have recorded equal requests, the file keeps the largest number that a single
    /// test has recorded.
    func write(_ newEntries: [HAREntry]) -> String? {
        reason { try merge(newEntries, into: $0) }
    }

    /// Masks the entries of the file again, with the current rule.
    func mask() -> String? {
        reason { url in
            guard let data = try Data(ofExisting: url) else { return }
            let present = try HARFile(complete: data)
            var table = RecordedSecrets(after: present.entries, placeholders: present.placeholders)
            let entries = table.redact(present.entries, by: cassette.redaction)
            try write(entries, table, over: data, to: url)
        }
    }

    /// Removes the names of tests, and the entries that have no other test.
    func removeEntries(ofTests names: [String]) -> String? {
        reason { url in
            guard let data = try Data(ofExisting: url) else { return }
            var file = try HARFile(complete: data)
            file.entries = file.entries.compactMap { entry in
                entry.tests.isEmpty ? entry : entry.removing(tests: names)
            }
            try url.replaceContent(with: try file.data)
        }
    }

    /// Runs a closure under the lock of the folder, and returns the text of its error.
    private func reason(_ body: (URL) throws -> Void) -> String? {
        do {
            let url = cassette.recordedFile
            let folder = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try folder.whileLocked { try body(url) }
            return nil
        } catch {
            let cause = error is DecodingError ? "the file that exists is broken: " : ""
            let text = (error as? RecordingProblem)?.description ?? "\(APIError.text(of: error))."
            return "The recording \(cassette.shownPath) is not written: \(cause)\(text)"
        }
    }

    private func merge(_ newEntries: [HAREntry], into url: URL) throws {
        let current = try Data(ofExisting: url)
        let present =
            try current.flatMap { data in try unlessReplaced { try HARFile(complete: data) } }
            ?? HARFile()
        var merged = keptEntries(of: present, besides: newEntries)
        var table = RecordedSecrets(after: merged, placeholders: present.placeholders)
        let redacted = table.redact(newEntries, by: cassette.redaction)
        let compared = ReplayKeys(
            of: merged + redacted, table.placeholders, for: cassette)
        // For each request, the entries of the file that are not among the entries to replay.
        var rest = Dictionary(grouping: merged.indices) { compared.form(of: merged[$0]) }
            .mapValues { $0[...] }
        for entry in entries { _ = rest[compared.form(of: entry)]?.popFirst() }
        for var entry in redacted {
            let form = compared.form(of: entry)
            if let index = rest[form, default: []].first,
                isOwn(merged[index]) || compared.canReplace(merged[index], by: entry)
            {
                rest[form]?.removeFirst()
                if let test, !merged[index].tests.contains(test) {
                    merged[index].tests.append(test)
                }
            } else {
                entry.tests = [test].compactMap { $0 }
                merged.append(entry)
            }
        }
        try write(merged, table, over: current, to: url)
    }

    private func write(
        _ entries: [HAREntry], _ table: RecordedSecrets, over current: Data?, to url: URL
    ) throws {
        let archive = HARFile(entries: entries, placeholders: table.placeholders)
        let data = try archive.data
        if let leak = table.leak(in: archive, data: data) {
            let remedy = """

                If an entry of an earlier run contains it, mask the file again:
                  \(command.replacing("APIKIT_RECORD=all", with: "APIKIT_RECORD=mask"))
                """
            throw RecordingProblem(leak + (current == nil ? "" : remedy))
        }
        guard data != current else { return }
        try url.replaceContent(with: data)
        Notice.write("\(cassette.shownPath): \(archive.report)")
    }

    /// Returns the existing entries that new entries do not replace.
    ///
    /// The test is removed from its entries, and an entry that then has no test is dropped. An
    /// entry that never had a test is dropped too. If the cassette allows unused entries, such an
    /// entry is dropped only if the test has recorded its request again.
    private func keptEntries(of present: HARFile, besides new: [HAREntry]) -> [HAREntry] {
        let compared = ReplayKeys(
            of: present.entries + new, present.placeholders, for: cassette)
        let made = Set(new.map(compared.form))
        return present.entries.compactMap { entry in
            guard replaced.contains(entry) else { return entry }
            if let test, !entry.tests.isEmpty { return entry.removing(tests: [test]) }
            let goes = cassette.requiresAllEntries || made.contains(compared.form(of: entry))
            return goes ? nil : entry
        }
    }
}

extension HARFile {
    /// Reads a file, unless it has entries with mistakes, which a new file would lack.
    fileprivate init(complete data: Data) throws {
        try self.init(data: data)
        if let mistake = unreadable.min(by: { $0.key < $1.key }) {
            throw RecordingProblem("the file that exists is broken: \(mistake.value).")
        }
    }
}

extension HAREntry {
    /// Returns the entry without the names of tests, or `nil` if it then has none.
    fileprivate func removing(tests names: [String]) -> HAREntry? {
        var entry = self
        entry.tests.removeAll(where: names.contains)
        return entry.tests.isEmpty ? nil : entry
    }
}

extension ReplayKeys {
    /// Returns the form of an entry's request, or an empty one if its URL is invalid.
    fileprivate func form(of entry: HAREntry) -> RequestForm {
        entry.request.recorded.map { key(of: $0, hasBody: entry.request.hasBody).form }
            ?? RequestForm()
    }

    /// Returns whether an entry of another test can stand for a new entry for an equal request.
    ///
    /// Another test can use another account. If a request has secrets, the responses must be equal.
    fileprivate func canReplace(_ entry: HAREntry, by new: HAREntry) -> Bool {
        let hasSecrets = [entry, new].contains { entry in
            entry.request.recorded.map { !key(of: $0).placeholders.isEmpty } ?? false
        }
        func masked(_ entry: HAREntry) -> Data {
            placeholders.replacing(in: entry.response.body, with: Redaction.mask)
        }
        return !hasSecrets
            || entry.response.status == new.response.status && masked(entry) == masked(new)
    }
}

extension URL {
    /// Runs a closure under an exclusive lock on this folder, for all threads and processes.
    fileprivate func whileLocked(_ body: () throws -> Void) throws {
        // A child process with the descriptor would keep the lock.
        let descriptor = open(path(percentEncoded: false), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError.last }
        // Closing the only descriptor releases the lock.
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw POSIXError.last }
        }
        try body()
    }

    /// Replaces the content of this file in one step, and keeps its permissions and a link to it.
    fileprivate func replaceContent(with data: Data) throws {
        let file = resolvingSymlinksInPath()
        let mode = try file.status().map { $0.st_mode & 0o777 }
        let new = file.deletingLastPathComponent().appending(path: ".\(UUID().uuidString)")
        do {
            let handle = try new.openFile(
                O_WRONLY | O_CREAT | O_EXCL, permissions: mode ?? 0o666)
            if let mode { try handle.setMode(mode) }
            try handle.write(contentsOf: data)
            try handle.close()
            try new.move(to: file)
        } catch {
            // Report this error, not the cleanup's.
            try? new.removeName()
            // The caller names the recording.
            throw (error as? APIError)?.underlying ?? error
        }
    }
}
