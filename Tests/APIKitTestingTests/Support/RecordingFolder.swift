import Foundation

@testable import APIKitTesting

/// An empty folder of a test's source file, for its recordings.
struct RecordingFolder {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// The names of the files in the folder `Recordings`, including hidden ones.
    var names: [String] {
        let path = directory.url("Recordings").path(percentEncoded: false)
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    func text(_ name: String = "users") -> String? { directory.text("Recordings/\(name).har") }

    func entries(_ name: String = "users") throws -> [RecordedExchange] {
        try text(name).map { try HARFile(data: Data($0.utf8)).entries } ?? []
    }

    /// The paths of the requests in a recording.
    func paths(_ name: String = "users") throws -> [String] {
        try entries(name).map { $0.request.url.path }
    }

    /// Writes a recording with the given text.
    func write(_ text: String, _ name: String = "users") throws {
        try FileManager.default.createDirectory(
            at: directory.url("Recordings"), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: directory.url("Recordings/\(name).har"))
    }

    /// Rewrites the entries of a recording as if an earlier run had written them.
    func makeOld(_ name: String = "users") throws {
        var file = HARFile(entries: try entries(name))
        for index in file.entries.indices {
            file.entries[index].startedAt = Date(timeIntervalSince1970: 0)
        }
        try write(String(decoding: try file.data, as: UTF8.self), name)
    }

    /// Returns a cassette whose recordings are in the folder.
    func moved(_ cassette: Cassette) -> Cassette {
        var cassette = cassette
        cassette.filePath = directory.url("UsersTests.swift").path(percentEncoded: false)
        return cassette
    }

    func cassette(
        _ name: String = "users", mode: Cassette.Mode = .once, requiresAllEntries: Bool = true
    ) -> Cassette {
        moved(
            Cassette(name, mode: mode, options: requiresAllEntries ? [] : [.allowsUnusedEntries]))
    }
}

extension TestRun {
    /// A run on the machine of a developer.
    static let local = TestRun(environment: [:])

    /// A run after all recordings of this process.
    static let later = TestRun(environment: [:], start: .distantFuture)
}
