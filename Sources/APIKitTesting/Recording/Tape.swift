import APIKit
import Foundation

/// A cassette in use by a server: what it replays, and what it records.
final class Tape: Sendable {
    let cassette: Cassette
    let location: SourceCodeLocation
    let file: RecordingFile
    let entries: RecordedEntries
    private let recorded = Locked<[Int: HAREntry]>([:])
    private let isFinished = Locked(false)

    /// Whether the tape has entries that nothing has tried to write.
    var isAbandoned: Bool { !isFinished.withLock { $0 } && !recorded.withLock { $0.isEmpty } }

    /// Opens the file of a cassette for the test with a name, if it is known.
    convenience init(_ cassette: Cassette, at location: SourceCodeLocation, test: String? = nil) {
        self.init(cassette, RecordingFile(cassette, test: test), at: location)
    }

    /// Creates the tape of a file.
    init(_ cassette: Cassette, _ file: RecordingFile, at location: SourceCodeLocation) {
        self.cassette = cassette
        self.location = location
        self.file = file
        entries = RecordedEntries(of: file, at: location)
    }

    /// The complete recorded entries, in the order of their requests.
    var newEntries: [HAREntry] {
        recorded.withLock { $0 }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Adds the entry of a request whose load is complete.
    func add(_ entry: HAREntry, number: Int) {
        var entry = entry.normalized
        if !cassette.replaysDelays { entry.wait = .zero }
        recorded.withLock { $0[number] = entry }
    }

    /// Writes the recorded entries at the end of the test.
    ///
    /// Loads in progress leave no entry. If the test has failed, the method writes only the recording
    /// of a cassette that records failing tests.
    func finish(testHasPassed: Bool) -> [TestFailure] {
        isFinished.withLock { $0 = true }
        if file.mode == .mask, file.problem == nil {
            return file.mask().map { [TestFailure($0, at: location)] } ?? []
        }
        // A decoding error cannot mention it, because a decoder does not recognize a placeholder.
        if !testHasPassed, !file.content.placeholders.isEmpty {
            Notice.write(
                """
                \(cassette.shownPath): the responses of this failed test can have placeholders in \
                place of secrets. If the test needs a value that is no secret, exclude its name \
                with redacting: .secrets.excluding(values:), and record again.
                """)
        }
        let entries = newEntries
        guard !entries.isEmpty else { return [] }
        guard testHasPassed || cassette.recordsFailingTests else {
            Notice.write(
                """
                \(cassette.shownPath) is not written, because the test has failed. To write it \
                nevertheless, pass options: [.recordsFailingTests].
                """)
            return []
        }
        if let problem = file.write(entries) { return [TestFailure(problem, at: location)] }
        let count = entries.count == 1 ? "1 request" : "\(entries.count) requests"
        Notice.write("\(cassette.shownPath): \(count) recorded.")
        return []
    }
}

extension Tape {
    /// Returns the reply of the first unused entry that a request matches.
    func claim(_ request: RecordedRequest) -> Reply? {
        for track in entries.matches(for: request) {
            if let reply = track.route.claim(request) { return reply }
        }
        return nil
    }

    /// The mistake that prevents the replay, and the error of all requests.
    var problem: TestFailure? {
        (file.problem ?? entries.problem).map { TestFailure($0, at: location) }
    }

    /// The remedy of a failure that a new recording solves.
    var advice: String { "To record the requests again, run\n  \(file.command)" }

    /// The list of the entries that cannot be read, for a miss, or `nil` if there are none.
    var textOfUnreadableEntries: String? {
        guard !file.content.unreadable.isEmpty else { return nil }
        var list = LimitedList(showing: 10)
        for (number, reason) in file.content.unreadable.sorted(by: { $0.key < $1.key }) {
            list.add("entry \(number): \(reason)")
        }
        return "\nSome entries of \(cassette.shownPath) cannot be read:"
            + list.text(of: "entry").replacing("entrys", with: "entries")
    }

    /// Returns the failure of a recording with entries above the maximum age.
    func failureOfAge(at now: Date) -> TestFailure? {
        guard let maxAge = cassette.maxAgeInDays,
            let oldest = file.entries.compactMap(\.startedAt).min()
        else { return nil }
        let age = Int(exactly: (now.timeIntervalSince(oldest) / 86_400).rounded(.down)) ?? .max
        guard age > maxAge else { return nil }
        return TestFailure(
            """
            The oldest entry of \(cassette.shownPath) was recorded \(age) days \
            ago, and the maximum is \(maxAge). \(advice)
            """,
            at: location)
    }

    /// Returns the failure of the entries that no request has used, not even one that a route served.
    func shortfall(besides routes: [MockRoute]) -> TestFailure? {
        guard cassette.requiresAllEntries else { return nil }
        let unused = entries.unused(besides: routes.flatMap(\.requests))
        guard !unused.isEmpty else { return nil }
        var list = LimitedList()
        for entry in unused { list.add("entry \(entry.number): \(entry.request)") }
        let subject = unused.count == 1 ? "An entry" : "\(unused.count) entries"
        let verb = unused.count == 1 ? "was" : "were"
        return TestFailure(
            """
            \(subject) of \(cassette.shownPath) \(verb) not requested:\(list.text(of: "request"))
            Make the missing requests, delete the entries, or pass options: [.allowsUnusedEntries]. \(advice)
            """,
            at: location)
    }
}
