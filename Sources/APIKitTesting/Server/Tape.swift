import APIKit
import Foundation

/// A cassette in use by a server: what it replays, and what it records.
final class Tape: Sendable {
    let cassette: Cassette
    let location: SourceCodeLocation
    let file: RecordingFile
    let playlist: Playlist
    let recorder = Recorder()

    convenience init(_ cassette: Cassette, at location: SourceCodeLocation) {
        self.init(cassette, RecordingFile(cassette), at: location)
    }

    /// Creates the tape of a file.
    init(_ cassette: Cassette, _ file: RecordingFile, at location: SourceCodeLocation) {
        self.cassette = cassette
        self.location = location
        self.file = file
        playlist = Playlist(file.entries, of: cassette, at: location)
    }

    /// Returns the reply of the real server to a request, which the tape records.
    func record(_ request: RecordedRequest) -> Reply { .response(.passthrough) }

    /// Writes what was recorded, at the end of the test.
    ///
    /// - Parameter testHasPassed: Whether the test has no failure so far.
    /// - Returns: The failure to write, if there is one.
    func finish(testHasPassed: Bool) -> [TestFailure] { [] }
}
