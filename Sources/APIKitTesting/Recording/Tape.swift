import APIKit
import Foundation

/// A cassette in use by a server: what it replays, and what it records.
final class Tape: Sendable {
    let cassette: Cassette
    let location: SourceCodeLocation
    let file: RecordingFile
    let entries: RecordedEntries
    /// The values of the placeholders so far.
    private let live = Locked(LiveValues())
    private let recorded = Locked<[Int: HAREntry]>([:])
    private let isFinished = Locked(false)

    /// Whether the tape has entries that nothing has tried to write.
    var isAbandoned: Bool { !isFinished.withLock { $0 } && !recorded.withLock { $0.isEmpty } }

    /// Opens the file of a cassette.
    ///
    /// - Parameters:
    ///   - cassette: The cassette.
    ///   - location: The location of failures.
    ///   - test: The argument of `swift test --filter` for the running test, if it is known.
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
    ///
    /// - Parameter testHasPassed: Whether the test has no failure so far.
    /// - Returns: The failure to write, if there is one.
    func finish(testHasPassed: Bool) -> [TestFailure] {
        isFinished.withLock { $0 = true }
        if file.mode == .mask, file.problem == nil {
            return file.mask().map { [TestFailure($0, at: location)] } ?? []
        }
        if !testHasPassed, let remark = remarkOnPlaceholders { Notice.write(remark) }
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
    /// Returns the reply of the entry that a request matches, or `nil` if there is none.
    ///
    /// The reply comes from the first unused entry whose placeholders agree with earlier requests.
    /// Entries of the running test come before the entries of other tests.
    ///
    /// - Returns: The reply, and a failure if only the order of the requests decides its values.
    func claim(_ request: RecordedRequest) -> (Reply, TestFailure?)? {
        let found = entries.matches(for: request)
        guard !found.isEmpty else { return nil }
        return live.withLock { live in
            let agreeing = found.filter { live.conflicts(with: $0.values).isEmpty }
                .sorted { $0.rank < $1.rank }
            for (index, match) in agreeing.enumerated() {
                guard let reply = match.track.route.claim(request) else { continue }
                let others = agreeing.dropFirst(index + 1)
                    .filter {
                        $0.track.isOwn == match.track.isOwn && $0.track.route.unusedReplyCount > 0
                    }
                let ambiguous = live.set(match, besides: others, isOnly: found.count == 1)
                live.receive(entries.placeholders(inResponseOf: match.track))
                return (reply, failure(ofOrder: ambiguous, for: match.track.route))
            }
            return nil
        }
    }

    /// Returns the placeholders of an entry that had other values in earlier requests.
    func conflicts(of route: MockRoute, with request: RecordedRequest) -> [String] {
        guard let values = route.pattern.match(request) else { return [] }
        return live.withLock { $0.conflicts(with: values) }
    }

    private func failure(ofOrder placeholders: [String], for route: MockRoute) -> TestFailure? {
        guard let first = placeholders.first else { return nil }
        return TestFailure(
            """
            \(route.pattern) (\(route.entry ?? "")): only the order of the requests tells \
            the values of \(placeholders.joined(separator: ", ")) from others, so the response may be \
            that of another request. If the value of \(first) changes with each request, ignore it, \
            such as with matching: [.method, .url, .query(ignoring: "sig"), .body(ignoring: "sig"), \
            .header(ignoring: "Authorization")]. Otherwise send one value to both, or use a recording \
            for each.
            """,
            at: location)
    }
}

extension Tape {
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
        for entry in file.content.unreadable {
            list.add("entry \(entry.number): \(entry.error.place): \(entry.error.reason)")
        }
        return "\nSome entries of \(cassette.shownPath) cannot be read:"
            + list.text(of: "entry").replacing("entrys", with: "entries")
    }

    /// The remark that a placeholder may be the cause of a failure, or `nil` if no response had
    /// one.
    ///
    /// A decoding error cannot mention it, because a decoder does not recognize a placeholder.
    var remarkOnPlaceholders: String? {
        let placeholders = live.withLock(\.received)
        guard !placeholders.isEmpty else { return nil }
        var list = LimitedList(showing: 5)
        for placeholder in placeholders.sorted() { list.add(placeholder) }
        return """
            \(cassette.shownPath): the replayed responses of this failed test have placeholders in \
            place of secrets: \(list.textOnOneLine). If the test needs the value of one that is no \
            secret, exclude its name with redacting: .secrets.excluding(values:), and record again.
            """
    }

    /// Returns the failure of a recording with entries above the maximum age.
    func failureOfAge(at now: Date) -> TestFailure? {
        guard let maxAge = cassette.maxAgeInDays,
            let oldest = file.entries.map(\.startedAt).min()
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

    /// Returns the failure of the entries that no request has used, or else of values that the test
    /// never sent, and that only the order tells from values that it did send.
    ///
    /// - Parameter routes: The routes of the server, which may serve the requests of entries.
    /// - Returns: The failure, or `nil`.
    func shortfall(besides routes: [MockRoute]) -> TestFailure? {
        let unused =
            cassette.requiresAllEntries ? entries.unused(besides: routes.flatMap(\.requests)) : []
        guard !unused.isEmpty else {
            return live.withLock(\.undecided)
                .flatMap { failure(ofOrder: $0.placeholders, for: $0.route) }
        }
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

/// The values of a recording's placeholders in the running test.
///
/// A placeholder has one value within a test. Several placeholders can have the same value, because
/// a test can use one dummy for all keys.
struct LiveValues {
    /// The placeholders and their values in one request.
    typealias Found = [String: String]

    /// The values that a placeholder without a value may have.
    private struct Rivals {
        /// The values in earlier requests that may belong to the placeholder.
        var values: Set<String> = []
        /// The entry with the placeholder.
        let rival: MockRoute
        /// The entry that replied instead, and the placeholders that received those values.
        let winner: MockRoute
        let placeholders: Set<String>
    }

    private var values: Found = [:]
    private var rivals: [String: Rivals] = [:]
    /// The placeholders in the replayed responses.
    private(set) var received: Set<String> = []

    /// Returns the placeholders whose value differs from the value in an earlier request.
    func conflicts(with found: Found) -> [String] {
        found.filter { !isKnown($0, as: $1) && values[$0] != nil }.keys.sorted()
    }

    /// Returns whether a value is a known value of a placeholder.
    ///
    /// The text of the placeholder is a known value too, because a recorded response contains it.
    private func isKnown(_ placeholder: String, as value: String) -> Bool {
        value == placeholder || values[placeholder] == value
    }

    /// Sets the values of the placeholders in a request.
    ///
    /// - Parameters:
    ///   - match: The entry that replies.
    ///   - others: The other entries that could have replied.
    ///   - isOnly: Whether no other entry matches, with any values of its placeholders.
    /// - Returns: The placeholders whose value only the order of the requests decides.
    mutating func set(
        _ match: RecordedEntries.Match, besides others: [RecordedEntries.Match], isOnly: Bool
    ) -> [String] {
        let new = match.values.filter { !isKnown($0, as: $1) }
        values.merge(new) { first, _ in first }
        guard !isOnly else {
            // Such a request confirms its values, and the earlier decisions about them.
            rivals = rivals.filter { $1.placeholders.isDisjoint(with: match.values.keys) }
            return []
        }
        guard !new.isEmpty else { return [] }
        let ambiguous = new.filter { placeholder, value in
            rivals[placeholder]?.values.contains { $0 != value } == true
        }
        for other in others {
            for (placeholder, value) in other.values
            where values[placeholder] == nil && value != placeholder {
                let rival = Rivals(
                    rival: other.track.route, winner: match.track.route, placeholders: Set(new.keys)
                )
                rivals[placeholder, default: rival].values.insert(value)
            }
        }
        return ambiguous.keys.sorted()
    }

    /// The placeholders that the test has not sent, and the entry that replied instead of theirs.
    ///
    /// A value that the test did send could belong to one of these placeholders, because their entry
    /// is unused.
    var undecided: (placeholders: [String], route: MockRoute)? {
        let open = rivals.filter { values[$0.key] == nil && $0.value.rival.unusedReplyCount > 0 }
        return open.min { $0.key < $1.key }.map { (open.keys.sorted(), $0.value.winner) }
    }

    /// Gives the placeholders of a response their own texts as values, unless they have values.
    mutating func receive(_ placeholders: some Sequence<String>) {
        for placeholder in placeholders {
            received.insert(placeholder)
            if values[placeholder] == nil { values[placeholder] = placeholder }
        }
    }
}
