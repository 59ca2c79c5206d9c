import APIKit
import Foundation

extension RecordingFile {
    /// Writes new entries after the entries of other tests.
    ///
    /// The file is written whole or not at all. If several tests have recorded equal requests, the
    /// file keeps the largest number that a single test has recorded. So a test may call the method
    /// again with further entries.
    ///
    /// - Parameter newEntries: All entries that the test has recorded, with their secrets.
    /// - Returns: The reason why the file is not written, or `nil`.
    func write(_ newEntries: [HAREntry]) -> String? {
        reason { try merge(newEntries, into: $0) }
    }

    /// Masks the entries of the file again, with the current rule.
    ///
    /// - Returns: The reason why the file is not written, or `nil`.
    func mask() -> String? {
        reason { url in
            guard let data = try Data(ofExisting: url) else { return }
            let present = try HARFile(complete: data)
            var table = SecretTable(after: present.entries, placeholders: present.placeholders)
            try write(masked(present.entries, by: &table), table, over: data, to: url)
        }
    }

    /// Removes the names of tests, and the entries that have no other test.
    ///
    /// - Returns: The reason why the file is not written, or `nil`.
    func removeEntries(ofTests names: [String]) -> String? {
        reason { url in
            guard let data = try Data(ofExisting: url) else { return }
            var file = try HARFile(complete: data)
            file.entries = file.entries.compactMap { entry in
                entry.tests.isEmpty ? entry : entry.removing(tests: names)
            }
            try url.replaceContent(with: file.data)
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
        let present =
            try current.flatMap { data in try unlessReplaced { try HARFile(complete: data) } }
            ?? HARFile()
        var merged = keptEntries(of: present, besides: newEntries)
        var table = SecretTable(after: merged, placeholders: present.placeholders)
        let redacted = masked(newEntries, by: &table)
        let placeholders = PlaceholderSet(table.placeholders)
        // For each request, the entries of the file that are not among the entries to replay.
        var rest = Dictionary(grouping: merged.indices) { key(of: merged[$0], placeholders) }
            .mapValues { $0[...] }
        for entry in entries { _ = rest[key(of: entry, placeholders)]?.popFirst() }
        for var entry in redacted {
            let key = key(of: entry, placeholders)
            if let index = rest[key, default: []].first,
                isOwn(merged[index]) || merged[index].canReplace(entry, placeholders)
            {
                rest[key]?.removeFirst()
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
        _ entries: [HAREntry], _ table: SecretTable, over current: Data?, to url: URL
    ) throws {
        let archive = HARFile(entries: entries, placeholders: table.placeholders)
        let data = archive.data
        if let leak = table.leak(in: archive, data: data) {
            let remedy = """

                If an entry of an earlier run contains it, mask the file again:
                  \(command.replacing("APIKIT_RECORD=all", with: "APIKIT_RECORD=mask"))
                """
            throw RecordingProblem(leak + (current == nil ? "" : remedy))
        }
        guard data != current else { return }
        try url.replaceContent(with: data)
        let report = RecordingReport(archive, besides: table.weakSecrets)
        Notice.write("\(cassette.shownPath): \(report)")
    }

    /// Returns the entries with their secrets masked, and with the lengths of their masked bodies, as a
    /// client checks them in a replay.
    ///
    /// If the length of a body is unchanged, its `Content-Length` is unchanged too. The field may
    /// differ from the length, as in the response to a HEAD.
    private func masked(_ entries: [HAREntry], by table: inout SecretTable) -> [HAREntry] {
        zip(entries, table.redact(entries, by: cassette.redaction)).map { original, masked in
            var entry = masked
            if entry.request.body.count != original.request.body.count {
                let length = "\(entry.request.body.count)"
                entry.request.headers.replaceValues(of: "content-length", with: length)
            }
            if entry.response.body.count != original.response.body.count {
                let length = "\(entry.response.body.count)"
                entry.response.headers.replaceValues(of: "content-length", with: length)
            }
            return entry
        }
    }

    /// Returns the existing entries that new entries do not replace.
    ///
    /// The test is removed from its entries, and an entry that then has no test is dropped. An
    /// entry that never had a test is dropped too. If the cassette allows unused entries, such an
    /// entry is dropped only if the test has recorded its request again.
    private func keptEntries(of present: HARFile, besides new: [HAREntry]) -> [HAREntry] {
        let placeholders = PlaceholderSet(present.placeholders)
        let made = Set(new.map { key(of: $0, placeholders) })
        return present.entries.compactMap { entry in
            guard replaced.contains(entry) else { return entry }
            if let test, !entry.tests.isEmpty { return entry.removing(tests: [test]) }
            let goes = cassette.requiresAllEntries || made.contains(key(of: entry, placeholders))
            return goes ? nil : entry
        }
    }

    /// Returns the key of an entry, which is equal for requests that differ only in placeholders.
    private func key(
        of entry: HAREntry, _ placeholders: PlaceholderSet
    ) -> [PathTemplate.Segment] {
        // The numbers do not matter, because the blanked request has none.
        var numbers: [String: Int] = [:]
        let request = entry.request.masked(
            by: cassette.redaction, besides: placeholders, numbering: &numbers)
        return request.blanked(placeholders).recorded
            .map { cassette.matching.steps(of: $0, hasBody: request.hasBody) }
            ?? [.literal(request.url)]
    }
}

extension HARFile {
    /// Reads a file, unless it has entries with mistakes, which a new file would lack.
    fileprivate init(complete data: Data) throws {
        try self.init(data: data)
        if let mistake = unreadable.first { throw mistake.error }
    }
}

extension HAREntry {
    /// Returns the entry without the names of tests, or `nil` if it then has none.
    fileprivate func removing(tests names: [String]) -> HAREntry? {
        var entry = self
        entry.tests.removeAll(where: names.contains)
        return entry.tests.isEmpty ? nil : entry
    }

    /// Returns whether this entry of another test can replace a new entry for an equal request.
    ///
    /// Another test can use another account. If a request has secrets, the responses must be equal.
    fileprivate func canReplace(_ other: HAREntry, _ placeholders: PlaceholderSet) -> Bool {
        guard request.isOpen(placeholders) || other.request.isOpen(placeholders) else {
            return true
        }
        return response.status == other.response.status
            && placeholders.blanked(Array(response.body))
                == placeholders.blanked(Array(other.response.body))
    }
}
