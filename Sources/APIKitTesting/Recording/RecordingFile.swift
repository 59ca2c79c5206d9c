import APIKit
import Foundation

/// The file of a cassette, and whether its requests are recorded.
struct RecordingFile: Sendable {
    let cassette: Cassette
    /// The running test, as the argument of `swift test --filter`, if it is known.
    var test: String?
    var run = TestRun.current
    /// The mode, which the environment may override.
    private(set) var mode: Cassette.Mode
    /// The content to replay.
    private(set) var content = HARFile()
    /// Whether a request without an entry goes to the network and is recorded.
    private(set) var records = false
    /// The mistake that prevents any use of the file, such as a missing file, with its remedy.
    private(set) var problem: String?

    /// The entries to replay.
    var entries: [RecordedExchange] { content.entries }

    /// The command that records the requests of the test again.
    var command: String {
        let filter = test ?? cassette.sourceFile.deletingPathExtension().lastPathComponent
        let isPlain = filter.utf8.allSatisfy(ByteSet.alphanumerics.union("_-./").contains)
        let argument = isPlain ? filter : "'\(filter.replacing("'", with: #"'\''"#))'"
        return "APIKIT_RECORD=all swift test --filter \(argument)"
    }

    /// The positions of the entries in the order in which they reply to equal requests.
    var order: [Int] { entries.indices.sorted { rank($0) < rank($1) } }

    /// Returns the rank of an entry: those of the running test, of no test, and of other tests.
    func rank(_ index: Int) -> (owner: Int, index: Int) {
        let owner = entries[index].test
        return (owner == test ? 0 : owner == nil ? 1 : 2, index)
    }

    /// Returns whether an entry belongs to another test, so it may stay unused.
    func isForeign(_ index: Int) -> Bool { rank(index).owner == 2 }

    /// The remedy of a failure that a new recording solves.
    var advice: String { "To record the requests again, run\n  \(command)" }
}

extension RecordingFile {
    /// Opens the file of a cassette.
    init(_ cassette: Cassette, test: String? = nil, in run: TestRun = .current) {
        self.init(cassette: cassette, test: test, run: run, mode: cassette.mode)
        do {
            try open()
        } catch {
            problem =
                (error as? TestFailure)?.message ?? """
                    The recording \(cassette.shownPath) cannot be read: \(APIError.clause(for: error)). \
                    Correct the file, or record it again:
                      \(command)
                    """
        }
    }

    private mutating func open() throws {
        try cassette.check()
        mode = try cassette.mode(in: run)
        let found = mode == .all ? nil : try cassette.file(in: run)
        let records =
            switch mode {
            case .none, .mask, .check: false
            case .once:
                // The tests of one run share a new file, in any order.
                found.map { !$0.entries.isEmpty && $0.entries.allSatisfy(run.contains) } ?? true
            case .newEpisodes: found == nil || cassette.hasSourceFolder
            case .all: true
            }
        let needsSource = records || found == nil && cassette.bundle == nil
        if needsSource, !cassette.hasSourceFolder { throw cassette.outOfReach }
        if found == nil, !records { throw cassette.missing(isOnCI: run.isOnCI, command) }
        self.records = records
        if let found { content = found }
    }
}

extension Cassette {
    /// Returns the mode, which the environment may override.
    fileprivate func mode(in run: TestRun) throws -> Mode {
        guard let value = run.modeName else {
            return mode == .once && run.isOnCI ? .none : mode
        }
        let modes = Mode.allCases
        if let mode = modes.first(where: { $0.rawValue.lowercased() == value.lowercased() }) {
            return mode
        }
        throw TestFailure(
            """
            The environment variable APIKIT_RECORD is \(value.debugDescription). Set it to one of: \
            \(modes.map(\.rawValue).joined(separator: ", ")).
            """, at: nil)
    }

    /// Returns the file, or `nil` if there is none.
    ///
    /// A file of the bundle takes precedence. If the bundle has no file, the file beside the test
    /// counts only if this run has recorded all of its entries.
    fileprivate func file(in run: TestRun) throws -> HARFile? {
        func read(_ url: URL) throws -> HARFile? {
            try Data(ofExisting: url).map { try HARFile(data: $0) }
        }
        guard let bundle else { return try read(fileBesideTest) }
        let resources = bundle.resourceURL ?? bundle.bundleURL
        for path in [shownPath, (shownPath as NSString).lastPathComponent] {
            if let file = try read(resources.appending(path: path)) { return file }
        }
        let file = try read(fileBesideTest)
        if let file, !file.entries.allSatisfy(run.contains) {
            throw TestFailure(
                """
                The bundle of the test does not contain \(shownPath), which exists beside \
                the test. Add .copy("Recordings") to the resources of the test target.
                """, at: nil)
        }
        return file
    }

    /// The problem of a file whose folder is on another machine.
    fileprivate var outOfReach: TestFailure {
        TestFailure(
            """
            The recording \(shownPath) cannot be read or written: the folder of \
            \(sourceFile.lastPathComponent) is not on this machine. Record it where the source \
            code is, add .copy("Recordings") to the resources of the test target, and pass its \
            bundle: Cassette(\(name.debugDescription), in: .module).
            """, at: nil)
    }

    /// Returns the problem of a missing file that must not be recorded.
    fileprivate func missing(isOnCI: Bool, _ command: String) -> TestFailure {
        let place = bundle == nil ? "" : " in the bundle of the test"
        let reason = isOnCI ? ", and the environment variable CI is set" : ""
        return TestFailure(
            """
            The recording \(shownPath) does not exist\(place)\(reason). Record it on your machine, \
            and commit it:
              \(command)
            With xcodebuild, set TEST_RUNNER_APIKIT_RECORD=all instead.
            """, at: nil)
    }
}

extension Data {
    /// Reads a file, or returns `nil` if there is none.
    init?(ofExisting url: URL) throws {
        guard try url.status(following: true) != nil else { return nil }
        try self.init(contentsOf: url)
    }
}
