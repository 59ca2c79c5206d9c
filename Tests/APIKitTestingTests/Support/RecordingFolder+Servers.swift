import APIKit
import Foundation
import Testing

@testable import APIKitTesting

extension RecordingFolder {
    /// Writes a recording with the given entries.
    func write(_ entries: [RecordedExchange], _ name: String = "users") throws {
        try write(String(decoding: HARFile(entries: entries).data, as: UTF8.self), name)
    }

    /// Opens the file of a cassette.
    func open(
        _ cassette: Cassette, in run: TestRun = .local, test: String? = "UsersTests/loadsUsers"
    ) -> RecordingFile {
        RecordingFile(cassette, test: test, in: run)
    }

    /// Returns a server that uses a cassette of the folder in a test run.
    func server(
        replaying cassette: Cassette, in run: TestRun = .local, line: Int = #line
    ) -> MockServer {
        let server = MockServer()
        TestRun.$current.withValue(run) { server.replay(moved(cassette), line: line) }
        return server
    }
}

extension MockServer {
    /// The entries that the only recording of the server makes of its journal.
    var newEntries: [RecordedExchange] {
        let state = state.withLock { $0 }
        return state.recordings?.tapes.first?.entries(of: state.journal) ?? []
    }
}
