import APIKit
import APIKitTesting
import Foundation

extension Comparison {
    static let recordingFiles = [
        Comparison(.readingRecording, to: .readingJSON, aim: 2)
    ]
}

extension Workload {
    private static let entryCount = 1_000

    /// A recording whose bodies contain JSON, as most do.
    private static let recording: Data = {
        let item = #"{\"id\":7,\"name\":\"a dog\",\"tags\":[\"small\",\"old\"],\"note\":\"été\"},"#
        let body = "[\(String(repeating: item, count: 600))0]"
        let entries = (0..<entryCount).map { index in
            """
            {
              "startedDateTime": "2026-01-01T00:00:00.000Z",
              "time": 12.5,
              "request": {
                "method": "GET",
                "url": "https://api.example.com/items/\(index)",
                "httpVersion": "HTTP/1.1",
                "cookies": [],
                "headers": [{ "name": "Accept", "value": "application/json" }],
                "queryString": [],
                "headersSize": -1,
                "bodySize": 0
              },
              "response": {
                "status": 200,
                "statusText": "OK",
                "httpVersion": "HTTP/1.1",
                "cookies": [],
                "headers": [{ "name": "Content-Type", "value": "application/json" }],
                "content": { "size": -1, "mimeType": "application/json", "text": "\(body)" },
                "redirectURL": "",
                "headersSize": -1,
                "bodySize": -1
              },
              "cache": {},
              "timings": { "send": 0, "wait": 12.5, "receive": 0 }
            }
            """
        }
        return Data(
            """
            {"log": {"version": "1.2", "creator": {"name": "Benchmarks", "version": "1"},
            "entries": [\(entries.joined(separator: ",\n"))]}}
            """.utf8)
    }()

    fileprivate static let readingRecording = Workload(
        "MockServer.replay, a file of 50 MB", byteCount: recording.count
    ) {
        let folder = try RecordingFolder(recording)
        return {
            let server = MockServer()
            server.replay(
                Cassette(
                    "large", mode: .none, options: [.allowsUnusedEntries], in: try folder.bundle))
            let last = URL(string: "https://api.example.com/items/\(entryCount - 1)")
            guard let last else { throw URLError(.badURL) }
            let (body, _) = try await server.send(URLRequest(url: last))
            try WrongResult.unless(body.count > 30_000)
        }
    }

    fileprivate static let readingJSON = Workload(
        "JSONSerialization.jsonObject, the same file", byteCount: recording.count
    ) {
        let folder = try RecordingFolder(recording)
        return {
            let data = try Data(contentsOf: folder.file)
            let value = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            try WrongResult.unless(value?["log"] != nil)
        }
    }
}

/// A temporary folder with a recording.
private final class RecordingFolder: Sendable {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: UUID().uuidString, directoryHint: .isDirectory)

    init(_ recording: Data) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try recording.write(to: file)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    var file: URL { folder.appending(path: "Recordings/large.har") }

    var bundle: Bundle {
        get throws {
            guard let bundle = Bundle(url: folder) else { throw URLError(.fileDoesNotExist) }
            return bundle
        }
    }
}
