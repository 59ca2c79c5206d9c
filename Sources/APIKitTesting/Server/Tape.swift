import APIKit
import Foundation

/// A cassette in use by a server: what it replays, and what it records.
final class Tape: Sendable {
    let cassette: Cassette
    let location: SourceCodeLocation
    let file: RecordingFile
    let playlist: Playlist
    let recorder: Recorder

    /// Opens the file of a cassette.
    ///
    /// - Parameters:
    ///   - cassette: The cassette.
    ///   - location: The location of failures.
    ///   - test: The argument of `swift test --filter` for the running test, if it is known.
    init(_ cassette: Cassette, at location: SourceCodeLocation, test: String? = nil) {
        self.cassette = cassette
        self.location = location
        file = RecordingFile(cassette, test: test)
        playlist = Playlist(file.entries, of: cassette, at: location)
        recorder = Recorder(measuresDelays: cassette.replaysDelays)
    }

    /// The failure to use the file, if there is one.
    var failure: TestFailure? { file.problem.map { TestFailure($0, at: location) } }

    /// Returns the reply to a request without an entry, or `nil` if the request is a miss.
    func reply(to request: RecordedRequest) -> Reply? {
        if let failure { return .response(.failure(failure)) }
        guard file.records else { return nil }
        var response = MockResponse.passthrough
        response.record = recorder.begin(request)
        return .response(response)
    }

    /// Writes what was recorded, at the end of the test.
    ///
    /// Loads in progress leave no entry. If the test has failed, the method writes only the recording
    /// of a cassette that records failing tests.
    ///
    /// - Parameter testHasPassed: Whether the test has no failure so far.
    /// - Returns: The failure to write, if there is one.
    func finish(testHasPassed: Bool) -> [TestFailure] {
        guard testHasPassed || cassette.recordsFailingTests else { return [] }
        let entries = recorder.entries
        guard !entries.isEmpty, let problem = file.write(entries) else { return [] }
        return [TestFailure(problem, at: location)]
    }
}
