import APIKit
import APIKitTesting
import Foundation

extension Comparison {
    static let recordings = [
        Comparison(
            .replaying(9_900..<10_000, of: .paths), to: .replaying(0..<100, of: .paths), aim: 1.1),
        Comparison(
            .replaying(9_900..<10_000, of: .queries), to: .replaying(0..<100, of: .queries),
            aim: 1.1),
        Comparison(
            .replaying(9_900..<10_000, of: .equalRequests), to: .replaying(0..<100, of: .paths),
            aim: 1.1),
    ]
}

/// The kinds of 10,000 recorded requests.
private enum RecordedRequests: String {
    case paths
    case queries = "queries of one path"
    case equalRequests = "equal requests"

    /// Returns the path of an entry, which is as long as that of any other entry.
    func path(_ index: Int) -> String {
        let number = 10_000 + index
        return switch self {
        case .paths: "items/\(number)"
        case .queries: "items?page=\(number)"
        case .equalRequests: "items"
        }
    }
}

extension Workload {
    /// Sends the requests of 100 entries of a recording with 10,000 entries.
    fileprivate static func replaying(
        _ range: Range<Int>, of kind: RecordedRequests
    ) -> Workload {
        let place = range.lowerBound == 0 ? "the first" : "the last"
        return Workload("replaying \(place) of 10000 \(kind.rawValue)", count: range.count) {
            let folder = FileManager.default.temporaryDirectory
                .appending(path: UUID().uuidString, directoryHint: .isDirectory)
            defer { try? FileManager.default.removeItem(at: folder) }
            let server = MockServer()
            server.replay(
                Cassette(
                    "items", mode: .none, requiresAllEntries: false, repeatsLastEntry: true,
                    in: try .folder(folder, ofRecordingWith: (0..<10_000).map(kind.path))))
            let requests = try range.map { index in
                guard let url = URL(string: "https://api.example.com/\(kind.path(index))") else {
                    throw URLError(.badURL)
                }
                return URLRequest(url: url)
            }
            if kind == .equalRequests {
                for _ in 0..<range.lowerBound { _ = try await server.send(requests[0]) }
            }
            return {
                for request in requests {
                    let (body, _) = try await server.send(request)
                    try WrongResult.unless(!body.isEmpty)
                }
            }
        }
    }
}

extension Bundle {
    /// Returns the bundle of a folder with the recording `items.har`.
    fileprivate static func folder(
        _ folder: URL, ofRecordingWith paths: [String]
    ) throws -> Bundle {
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
        return bundle
    }
}
