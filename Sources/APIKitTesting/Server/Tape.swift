import APIKit
import Foundation

/// A cassette in use by a server: what it replays, and what it records.
final class Tape: Sendable {
    let cassette: Cassette
    let location: SourceCodeLocation
    let file: RecordingFile
    let playlist: Playlist
    let recorder = Recorder()

    init(_ cassette: Cassette, at location: SourceCodeLocation) {
        self.cassette = cassette
        self.location = location
        file = RecordingFile(cassette)
        playlist = Playlist(file.entries, of: cassette, at: location)
    }

    /// Writes what was recorded, at the end of the test.
    ///
    /// - Parameter testHasPassed: Whether the test has no failure so far.
    /// - Returns: The failure to write, if there is one.
    func finish(testHasPassed: Bool) -> [TestFailure] { [] }
}
