import APIKit
import Foundation

/// A cassette in use by a server: what it replays, and what it records.
final class Tape: Sendable {
    let cassette: Cassette
    let location: SourceCodeLocation
    let file: RecordingFile
    let playlist: Playlist
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
        playlist = Playlist(file.entries, of: cassette, at: location)
    }

    /// The complete entries, in the order of their requests.
    var entries: [HAREntry] {
        recorded.withLock { $0 }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Adds the entry of a request whose load is complete.
    func add(_ response: PlayedResponse, to request: RecordedRequest) {
        var entry = response.entry(of: request).normalized
        if !cassette.replaysDelays { entry.wait = .zero }
        recorded.withLock { $0[request.number] = entry }
    }

    /// Writes what was recorded, at the end of the test.
    ///
    /// Loads in progress leave no entry. If the test has failed, the method writes only the recording
    /// of a cassette that records failing tests.
    ///
    /// - Parameter testHasPassed: Whether the test has no failure so far.
    /// - Returns: The failure to write, if there is one.
    func finish(testHasPassed: Bool) -> [TestFailure] {
        isFinished.withLock { $0 = true }
        let entries = entries
        guard !entries.isEmpty else { return [] }
        guard testHasPassed || cassette.recordsFailingTests else {
            Notice.write(
                """
                \(cassette.shownPath) is not written, because the test has failed. To write it \
                nevertheless, pass recordsFailingTests: true.
                """)
            return []
        }
        if let problem = file.write(entries) { return [TestFailure(problem, at: location)] }
        let count = entries.count == 1 ? "1 request" : "\(entries.count) requests"
        Notice.write("\(cassette.shownPath): \(count) recorded.")
        return []
    }
}
