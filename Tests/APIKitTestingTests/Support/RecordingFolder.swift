import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// A folder of recordings, which is deleted after the test.
final class RecordingFolder: Sendable {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The path of a source file beside the folder, which does not exist.
    var source: String { directory.url("Tests.swift").path }

    /// The names of all files in the folder, in order.
    var names: [String] {
        get throws {
            let names = try directory.names
            #expect([[], ["Recordings"]].contains(names))
            guard !names.isEmpty else { return [] }
            return try FileManager.default.contentsOfDirectory(
                atPath: directory.url("Recordings").path
            ).sorted()
        }
    }

    private func url(_ name: String) -> URL { directory.url("Recordings/\(name).har") }

    /// The text of a recording, or `nil` if the file does not exist.
    func text(_ name: String) -> String? { directory.text("Recordings/\(name).har") }

    /// Reads a recording.
    func har(_ name: String) throws -> HARFile { try HARFile(data: Data(contentsOf: url(name))) }

    /// Writes a recording.
    func write(_ file: HARFile, _ name: String) throws { try write(file.data, name) }

    /// Writes the bytes of a recording.
    func write(_ data: Data, _ name: String) throws {
        try FileManager.default.createDirectory(
            at: directory.url("Recordings"), withIntermediateDirectories: true)
        try data.write(to: url(name))
    }

    /// Changes the dates of a recording, so that an earlier test run seems to have made it.
    ///
    /// The tests of one run share a recording: none replaces the entries of another.
    func moveToEarlierRun(_ name: String) throws {
        var file = try har(name)
        for index in file.entries.indices {
            file.entries[index].startedAt = Date(timeIntervalSince1970: 1_700_000_000)
        }
        try write(file, name)
    }

    /// Returns the description of a recording in the folder.
    func cassette(
        _ name: String,
        matching components: [Cassette.Component] = [.method, .url],
        mode: Cassette.Mode = .once,
        redacting redaction: Redaction = .secrets,
        maxAgeInDays: Int? = nil,
        requiresAllEntries: Bool = true,
        repeatsLastEntry: Bool = false,
        replaysDelays: Bool = false,
        recordsFailingTests: Bool = false
    ) -> Cassette {
        Cassette(
            name, matching: components, mode: mode, redacting: redaction,
            maxAgeInDays: maxAgeInDays, requiresAllEntries: requiresAllEntries,
            repeatsLastEntry: repeatsLastEntry, replaysDelays: replaysDelays,
            recordsFailingTests: recordsFailingTests, filePath: source)
    }

    /// Returns a server that uses a recording.
    func server(
        replaying cassette: Cassette, environment: [String: String] = [:], line: Int = #line
    ) -> MockServer {
        let server = MockServer()
        let location = SourceCodeLocation(#fileID, #filePath, line, 1)
        let test = TestFailure.currentTestFilter
        let file = RecordingFile(cassette, test: test, environment: environment)
        server.replay(Tape(cassette, file, at: location))
        return server
    }
}

extension MockServer {
    /// Verifies the server, and returns the failures that it records.
    func failuresOfVerification() -> [String] {
        let failures = Locked<[String]>([])
        withKnownIssue(isIntermittent: true) {
            verify()
        } matching: { issue in
            failures.withLock { $0.append("\(issue)") }
            return true
        }
        return failures.withLock { $0 }
    }
}
