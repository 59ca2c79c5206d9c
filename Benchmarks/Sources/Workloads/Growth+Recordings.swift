import APIKit
import APIKitTesting
import Foundation

extension Comparison {
    static let growthOfRecordings =
        flat("MockServer.send, replaying paths", with: "entry", repetitions: 100) { count in
            try await replaying(count) { "items/\(10_000 + $0)" }
        }
        + flat("MockServer.send, replaying queries", with: "entry", repetitions: 100) { count in
            try await replaying(count) { "items?page=\(10_000 + $0)" }
        }
        + flat(
            "MockServer.send, replaying equal requests", with: "entry", repetitions: 100
        ) { count in
            try await replaying(count) { _ in "items" }
        }
        + linear("MockServer.replay", each: "entry") { count in
            let folder = try CassetteFolder((0..<count).map { "items/\($0)" })
            return {
                let server = MockServer()
                server.replay(folder.cassette)
                return try await server.responds(
                    to: URLRequest(to: "https://api.example.com/items/0"), with: "0")
            }
        }
        + linear("MockServer.failures, an unused entry and a request", each: "pair") { count in
            let folder = try CassetteFolder((0..<count).map { "items/\($0)" })
            let server = MockServer()
            server.replay(folder.strictCassette)
            server.on(.get("/users/*"))
            for number in 0..<count {
                _ = try await server.send(URLRequest(to: "https://api.example.com/users/\(number)"))
            }
            return { server.failures.count == 1 }
        }

    /// Sends requests that are spread over the entries of a recording, which has one more entry.
    private static func replaying(
        _ count: Int, _ path: (Int) -> String
    ) async throws -> CheckedRun {
        let server = MockServer()
        let folder = try CassetteFolder((0...count).map(path))
        server.replay(folder.cassette)
        let requests = try (0..<100).map { index in
            try URLRequest(to: "https://api.example.com/\(path(index * 9_973 % (count + 1)))")
        }
        return Workload.run(keeping: folder) {
            try await all(requests.count) { try await !server.send(requests[$0]).0.isEmpty }
        }
    }
}

/// A temporary folder with a recording.
final class CassetteFolder: Sendable {
    let cassette: Cassette
    let strictCassette: Cassette
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: UUID().uuidString, directoryHint: .isDirectory)

    /// Writes a recording with an entry for each path.
    init(_ paths: [String]) throws {
        let entries = paths.enumerated().map { index, path in
            """
            {"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1, "cache": {}, \
            "request": {"method": "GET", "url": "https://api.example.com/\(path)", \
            "httpVersion": "HTTP/1.1", "headers": [], "queryString": [], "cookies": [], \
            "headersSize": -1, "bodySize": 0}, \
            "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", \
            "headers": [], "cookies": [], "redirectURL": "", "headersSize": -1, "bodySize": -1, \
            "content": {"size": -1, "mimeType": "text/plain", "text": "\(index)"}}, \
            "timings": {"send": 0, "wait": 1, "receive": 0}}
            """
        }
        let text = """
            {"log": {"version": "1.2", "creator": {"name": "Benchmarks", "version": "1"}, \
            "entries": [\(entries.joined(separator: ",\n"))]}}
            """
        let recordings = folder.appending(path: "Recordings", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: recordings, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: recordings.appending(path: "items.har"))
        guard let bundle = Bundle(url: folder) else { throw URLError(.fileDoesNotExist) }
        cassette = Cassette(
            "items", mode: .none, options: [.allowsUnusedEntries, .repeatsLastEntry], in: bundle)
        strictCassette = Cassette("items", mode: .none, in: bundle)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }
}
