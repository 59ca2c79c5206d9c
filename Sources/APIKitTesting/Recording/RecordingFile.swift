import APIKit
import Foundation

/// The file of a cassette, and whether its requests are recorded.
struct RecordingFile: Sendable {
    /// The mode, which the environment may override.
    let mode: Cassette.Mode
    /// The entries to replay.
    let entries: [HAREntry]
    /// Whether a request without an entry goes to the network and is recorded.
    let records: Bool
    /// The mistake that prevents any use of the file, such as a missing file, with its remedy.
    let problem: String?
    /// The command that records the file again.
    let command: String

    let cassette: Cassette
    /// The entries that new ones replace.
    let replaced: [HAREntry]
}

extension RecordingFile {
    /// Opens the file of a cassette.
    ///
    /// - Parameters:
    ///   - cassette: The cassette.
    ///   - test: The argument of `swift test --filter` for the running test, if it is known.
    ///   - run: The test run.
    init(_ cassette: Cassette, test: String? = nil, in run: TestRun = .current) {
        let filter = test ?? cassette.sourceFile.deletingPathExtension().lastPathComponent
        self.cassette = cassette
        command = Cassette.command(forTest: filter)
        var mode = cassette.mode
        do {
            try cassette.checkName()
            let setting = try ModeSetting(of: cassette, in: run.environment)
            mode = setting.mode
            let source = Source(cassette, command: command)
            let found: [HAREntry]?
            do {
                found = try source.entries(in: run)
            } catch is JSONError where mode == .all {
                found = nil
            } catch let error as JSONError {
                throw RecordingProblem(
                    """
                    The recording \(cassette.shownPath) cannot be read: \(error.place): \
                    \(error.reason). Correct the file, or record it again:
                      \(command)
                    """)
            }
            let records: Bool
            switch mode {
            case .none where found == nil:
                throw source.missing(because: setting.isDueToCI)
            case .none:
                records = false
            case .once:
                // The tests of one run share a new file, in any order.
                let isOfThisRun = found.map { entries in
                    !entries.isEmpty && entries.allSatisfy(run.contains)
                }
                records = isOfThisRun ?? true
            case .newEpisodes:
                records = found == nil || cassette.hasSourceFolder
            case .all:
                records = true
            }
            if records { try source.checkFolder() }
            self.records = records
            entries = mode == .all ? [] : found ?? []
            replaced = mode == .all ? (found ?? []).filter { !run.contains($0) } : []
            problem = nil
        } catch {
            entries = []
            replaced = []
            records = false
            problem =
                (error as? RecordingProblem)?.description
                ?? "The recording \(cassette.shownPath) cannot be read: \(APIError.text(of: error))."
        }
        self.mode = mode
    }
}

/// The places of a cassette's file.
private struct Source {
    private let cassette: Cassette
    private let command: String

    /// Finds the places.
    ///
    /// - Parameters:
    ///   - cassette: The cassette.
    ///   - command: The command that records a new file.
    init(_ cassette: Cassette, command: String) {
        self.cassette = cassette
        self.command = command
    }

    /// Returns the entries of the file, or `nil` if there is none.
    ///
    /// A file of the bundle takes precedence. Without one, only the entries that this run has
    /// recorded are valid, because the next run would ignore them.
    func entries(in run: TestRun) throws -> [HAREntry]? {
        guard let bundle = cassette.bundle else {
            return try HARFile(contentsOf: cassette.recordedFile)?.entries
        }
        let resources = bundle.resourceURL ?? bundle.bundleURL
        for path in [cassette.shownPath, (cassette.shownPath as NSString).lastPathComponent] {
            let file = try HARFile(contentsOf: resources.appending(path: path))
            if let file { return file.entries }
        }
        let recorded = try HARFile(contentsOf: cassette.recordedFile)?.entries
        if let recorded, !recorded.allSatisfy(run.contains) {
            throw RecordingProblem(
                """
                The bundle of the test does not contain \(cassette.shownPath), which exists beside \
                the test. Add .copy("Recordings") to the resources of the test target.
                """)
        }
        return recorded
    }

    /// Throws unless a recording can be written.
    func checkFolder() throws {
        guard !cassette.hasSourceFolder else { return }
        let file = cassette.sourceFile.lastPathComponent
        throw RecordingProblem(
            cassette.bundle == nil
                ? """
                The recording \(cassette.shownPath) is not accessible: the folder of \(file) is not \
                on this machine. Add .copy("Recordings") to the resources of the test target, and \
                pass its bundle: Cassette(\(cassette.name.debugDescription), in: .module).
                """
                : """
                The recording \(cassette.shownPath) cannot be written: the folder of \(file) is not \
                on this machine. Record it where the source code is:
                  \(command)
                """)
    }

    /// Returns the problem of a missing file that must not be recorded.
    func missing(because isCI: Bool) -> RecordingProblem {
        let place = cassette.bundle == nil ? "" : " in the bundle of the test"
        let advice =
            isCI
            ? """
            , and is not recorded because the environment variable CI is set. Record it on your \
            machine, and commit it:
            """
            : ". Record it:"
        return RecordingProblem(
            """
            The recording \(cassette.shownPath) does not exist\(place)\(advice)
              \(command)
            With xcodebuild, set TEST_RUNNER_APIKIT_RECORD=all instead.
            """)
    }
}

/// The mode of a cassette, which the environment may override.
private struct ModeSetting {
    let mode: Cassette.Mode
    /// Whether the environment variable `CI` prevents a recording.
    var isDueToCI = false

    init(of cassette: Cassette, in environment: [String: String]) throws {
        if let value = environment["APIKIT_RECORD"], !value.isEmpty {
            let modes = Cassette.Mode.allCases
            guard let mode = modes.first(where: { $0.rawValue.lowercased() == value.lowercased() })
            else {
                let names = modes.map(\.rawValue).joined(separator: ", ")
                throw RecordingProblem(
                    """
                    The environment variable APIKIT_RECORD is \(value.debugDescription). Set it to \
                    one of: \(names).
                    """)
            }
            self.mode = mode
            return
        }
        let isCI = !["", "0", "false"].contains((environment["CI"] ?? "").lowercased())
        isDueToCI = isCI && cassette.mode == .once
        mode = isDueToCI ? .none : cassette.mode
    }
}

extension HARFile {
    /// Reads a file, or returns `nil` if there is none.
    init?(contentsOf url: URL) throws {
        guard let data = try Data(ofExisting: url) else { return nil }
        try self.init(data: data)
    }
}

extension Data {
    /// Reads a file, or returns `nil` if there is none.
    init?(ofExisting url: URL) throws {
        do {
            try self.init(contentsOf: url)
        } catch let error as CocoaError
            where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile
        {
            return nil
        }
    }
}
