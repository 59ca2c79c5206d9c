import APIKit
import Foundation

/// The entries of a cassette as routes, one for all equal requests.
struct Playlist: Sendable {
    /// The entries for equal requests, which respond in turn.
    struct Track: Sendable {
        let key: RequestKey
        let route: MockServer.Route
        /// The positions of the entries in the file, from 1.
        let numbers: [Int]
    }

    /// The tracks in the order of their first entries.
    let tracks: [Track]
    /// The mistake in the first invalid entry.
    let problem: String?

    private let keys: LiveKeys
    private let closed: [RequestKey: MockServer.Route]
    /// The few tracks whose keys match other keys than themselves.
    private let open: [Track]

    init(_ entries: [HAREntry], of cassette: Cassette, at location: SourceCodeLocation) {
        let keys = LiveKeys(of: cassette)
        var firsts: [(key: RequestKey, request: HAREntry.Request)] = []
        var numbers: [RequestKey: [Int]] = [:]
        for (index, entry) in entries.enumerated() {
            let request = entry.request.masked(for: cassette)
            let key = RequestKey(masked: request, of: cassette, isRecorded: true)
            if numbers[key] == nil { firsts.append((key, request)) }
            numbers[key, default: []].append(index + 1)
        }
        let responses = entries.map { entry in
            MockResponse(replaying: entry, isDelayed: cassette.replaysDelays)
        }
        tracks = firsts.map { key, request in
            let numbers = numbers[key] ?? []
            let route = MockServer.Route(
                RequestPattern(recorded: request, key, comparedWith: keys),
                replies: numbers.map { .response(responses[$0 - 1]) },
                times: cassette.repeatsLastEntry
                    ? .atLeast(numbers.count) : Times(integerLiteral: numbers.count),
                number: 0, location: location,
                entry: Playlist.text(of: numbers) + " of \(cassette.shownPath)")
            return Track(key: key, route: route, numbers: numbers)
        }
        problem = responses.firstIndex { $0.problem != nil }.map { index in
            let problem = responses[index].problem ?? ""
            return "Entry \(index + 1) of \(cassette.shownPath) is invalid: \(problem)."
        }
        self.keys = keys
        closed = tracks.reduce(into: [:]) { $0[$1.key] = $1.route }
        open = tracks.filter(\.key.isOpen)
    }

    var routes: [MockServer.Route] { tracks.map(\.route) }

    /// Returns the routes that match a request.
    func candidates(for request: RecordedRequest) -> [MockServer.Route] {
        guard !tracks.isEmpty else { return [] }
        let key = keys.key(of: request)
        return (closed[key].map { [$0] } ?? [])
            + open.filter { $0.key.accepts(key) }.map(\.route)
    }

    /// Returns the unused entries, except those whose requests other routes served.
    func unusedEntries(besides requests: [RecordedRequest]) -> [(number: Int, request: String)] {
        let unused = tracks.filter { $0.route.unusedReplyCount > 0 }
        guard !unused.isEmpty else { return [] }
        let others = requests.map(keys.key)
        let counts = others.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        return unused.flatMap { track in
            let count =
                track.key.isOpen
                ? others.filter(track.key.accepts).count : counts[track.key, default: 0]
            return track.numbers.suffix(track.route.unusedReplyCount).dropFirst(count)
                .map { (number: $0, request: "\(track.route.pattern)") }
        }
        .sorted { $0.number < $1.number }
    }

    private static func text(of numbers: [Int]) -> String {
        switch numbers.count {
        case 1: "entry \(numbers[0])"
        case 2: "entries \(numbers[0]) and \(numbers[1])"
        default: "entries \(numbers[0]), \(numbers[1]) and \(numbers.count - 2) more"
        }
    }
}

/// The keys of the requests that a server receives.
///
/// The report of a miss compares one request with all entries, so the last key is kept.
private final class LiveKeys: Sendable {
    private let cassette: Cassette
    private let last = Locked<(request: RecordedRequest, key: RequestKey)?>(nil)

    init(of cassette: Cassette) {
        self.cassette = cassette
    }

    func key(of request: RecordedRequest) -> RequestKey {
        if let last = last.withLock({ $0 }), last.request.isSame(as: request) { return last.key }
        let key = RequestKey(HAREntry.Request(request), of: cassette)
        last.withLock { $0 = (request, key) }
        return key
    }
}

extension RecordedRequest {
    fileprivate func isSame(as other: RecordedRequest) -> Bool {
        url == other.url && method == other.method && headers == other.headers && body == other.body
    }
}

extension RequestPattern {
    /// Creates the pattern of the requests that a key matches.
    ///
    /// - Parameters:
    ///   - request: A recorded request with the key, whose secrets are masked.
    ///   - key: The key.
    ///   - keys: The keys of the requests to match.
    fileprivate init(
        recorded request: HAREntry.Request, _ key: RequestKey, comparedWith keys: LiveKeys
    ) {
        // Without the origin, because a separate line shows its difference.
        let url =
            URL(string: request.url).map { Redaction.text(of: $0).withoutOrigin } ?? request.url
        var nodes: [Node] = []
        if key.hasMethod { nodes.append(.method(HTTPMethod(rawValue: request.method))) }
        if let segments = key.pathSegments {
            let path = segments.map { $0 ?? "*" }.joined(separator: "/")
            nodes.append(
                .path(
                    PathTemplate(
                        literal: segments, isSuffix: false, text: url,
                        expectation: Redaction.secrets.text(ofValue: "/\(path)"))))
        }
        let rest = key.withoutMethodAndPath
        let condition = Condition(label: key.pathSegments == nil ? url : "") { request in
            rest.accepts(keys.key(of: request))
        } addDifferences: { request, list in
            rest.addDifferences(from: keys.key(of: request), to: &list)
        }
        self.init(.all(nodes + [.condition(condition)]))
    }
}

extension String {
    /// The path, the query and the fragment of a URL.
    fileprivate var withoutOrigin: String {
        let path =
            firstRange(of: "://").map { self[$0.upperBound...].drop { $0 != "/" } } ?? self[...]
        return path.isEmpty ? "/" : String(path)
    }
}
