import APIKit
import Foundation

/// What a check has found, or what request types read, for a person and as a file.
struct CheckReport: Codable, Sendable {
    struct Entry: Codable, Sendable, Equatable {
        enum Comparison: String, Codable, Sendable, CaseIterable { case body, head, none }

        let test: String?
        let recording: String
        /// The number of the entry in the recording.
        let entry: Int
        let request: String
        let requestType: String?
        let compared: Comparison
        /// Why the entry is not compared.
        let reason: String?
        let changes: [ResponseChanges.Finding]

        fileprivate var key: [String?] { [test, recording, "\(entry)"] }
    }

    struct Uses: Codable, Sendable, Equatable {
        let method: String
        let path: String
        let requestType: String
        var required: [String]
        var read: [String]

        fileprivate var key: [String] { [path, method, requestType] }
    }

    /// The version of the format, which is the only one that can be decoded.
    enum Version: Int, Codable { case one = 1 }

    private(set) var version = Version.one
    fileprivate(set) var entries: [Entry] = []
    fileprivate(set) var uses: [Uses] = []

    /// Why an entry with a method that a check does not send is not compared.
    static func notSent(_ method: String) -> String { "not sent (\(method))" }
}

extension CheckReport {
    /// Adds an entry with its changes, or with the reason why it is not compared.
    mutating func add(
        _ index: Int, of file: RecordingFile, _ changes: ResponseChanges? = nil,
        readBy reader: ResponseParser? = nil, because reason: String? = nil
    ) {
        let request = file.entries[index].request
        let url = file.cassette.redaction.masked(request.url.absoluteString)
        entries.append(
            Entry(
                test: file.test, recording: file.cassette.shownPath, entry: index + 1,
                request: "\(request.method) \(url)", requestType: reader?.type,
                compared: changes.map { $0.comparesBodies ? .body : .head } ?? .none,
                reason: reason, changes: changes?.findings ?? []))
    }

    /// Adds what a request type reads of the responses to requests of a kind.
    mutating func add(_ members: MemberUses, of type: String, in target: RequestTarget) {
        uses.append(
            Uses(
                method: target.method, path: target.pathOfKind, requestType: type,
                required: members.required, read: members.read))
    }

    /// Whether no entry was compared, although not all belong to requests that a check does not send.
    var hasComparedNothing: Bool {
        entries.allSatisfy { $0.compared == .none }
            && (entries.isEmpty || entries.contains { !$0.isUnsent })
    }

    /// Whether the server refused a request without access, and another was not sent.
    var lacksToken: Bool {
        entries.contains { ["status 401", "status 403"].contains($0.reason) }
            && entries.contains(where: \.isUnsent)
    }

    /// A line for each recording: how many entries were compared by body, by head only, and not.
    var summary: [String] {
        Dictionary(grouping: entries, by: \.recording).sorted { $0.key < $1.key }.map { name, all in
            // Several request types, and several arguments of a test, can read one entry.
            var seen: Set<[String?]> = []
            let best = Entry.Comparison.allCases.flatMap { how in
                all.filter { $0.compared == how && seen.insert($0.key).inserted }
            }
            func count(_ how: Entry.Comparison) -> Int { best.count { $0.compared == how } }
            var list = LimitedList(showing: 20)
            for entry in best.sorted(by: { $0.entry < $1.entry }) where entry.compared == .none {
                list.add("entry \(entry.entry) \(entry.reason ?? "")")
            }
            return "\(name): \(count(.body)) compared by body, \(count(.head)) by head only, "
                + "\(count(.none)) not compared"
                + (list.count == 0 ? "." : ": \(list.textOnOneLine).")
        }
    }
}

extension CheckReport.Entry {
    fileprivate var isUnsent: Bool { reason?.hasPrefix("not sent ") == true }
}

extension CheckReport {
    /// What this process has found so far, by the paths of the files, or an empty one for none.
    private static let found: Locked<[String: CheckReport]> = {
        // Neither framework says when a run ends.
        atexit { CheckReport.writeAtExit() }
        return Locked([:])
    }()

    private static func writeAtExit() {
        let reports = found.withLock { $0 }
        let entries = reports.values.flatMap(\.entries)
        for line in CheckReport(entries: entries).summary { Notice.write(line) }
        if let report = reports[""], !report.uses.isEmpty, let data = try? report.data {
            try? FileHandle.standardOutput.write(contentsOf: data)
        }
    }

    private var data: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self) + Data("\n".utf8)
        }
    }

    /// Adds another report, whose entries replace those of an earlier run.
    private mutating func merge(_ other: CheckReport, replacing: Bool) {
        let new = replacing ? Set(other.entries.map(\.key)) : []
        entries.removeAll { new.contains($0.key) || other.entries.contains($0) }
        entries = (entries + other.entries).sorted {
            ($0.recording, $0.entry, $0.test ?? "") < ($1.recording, $1.entry, $1.test ?? "")
        }
        uses = Dictionary(grouping: uses + other.uses, by: \.key).values.map { equal in
            let required = Set(equal.flatMap(\.required))
            let read = Set(equal.flatMap(\.read)).subtracting(required)
            var uses = equal[0]
            (uses.required, uses.read) = (required.sorted(), read.sorted())
            return uses
        }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    /// Adds the report to the report of the process, and to the file that the environment names.
    ///
    /// The path is relative to the working directory.
    ///
    /// - Returns: Why the file cannot be written, or `nil`.
    func publish(in run: TestRun) -> String? {
        let path = run.environment["APIKIT_CHECK_REPORT"] ?? ""
        let ours = Self.found.withLock { found in
            found[path, default: CheckReport()].merge(self, replacing: false)
            return found[path] ?? self
        }
        guard !path.isEmpty else { return nil }
        let url = URL(filePath: path)
        do {
            let folder = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            // Tests of several processes write to one file.
            try folder.whileLocked {
                var all = CheckReport()
                if let data = try Data(ofExisting: url) {
                    all = try JSONDecoder().decode(Self.self, from: data)
                }
                all.merge(ours, replacing: true)
                try all.data.write(to: url, options: .atomic)
            }
            return nil
        } catch {
            let reason =
                error is DecodingError
                ? "a file of another format exists. Delete it" : APIError.clause(for: error)
            return "The report of the check \(path) is not written: \(reason)."
        }
    }
}

extension TestRun {
    /// Whether warnings fail tests.
    var isStrict: Bool { environment["APIKIT_CHECK"] == "strict" }
}
