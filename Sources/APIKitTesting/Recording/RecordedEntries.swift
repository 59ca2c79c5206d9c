import APIKit
import Foundation

/// The entries of a recording as routes, in which entries for equal requests share a route.
struct RecordedEntries: Sendable {
    /// The entries for equal requests, which respond in turn.
    struct Track: Sendable {
        let route: MockRoute
        /// The positions of the entries in the file, from 1.
        let numbers: [Int]
        /// Whether the running test has recorded an entry.
        let isOwn: Bool
        fileprivate let key: ReplayKeys.Key

        /// The rank among tracks for equal requests, of which the lowest with a reply replies.
        fileprivate var rank: (Int, Int) {
            let count = route.requestCount
            return (isOwn ? 0 : 1, count < numbers.count ? numbers[count] : .max)
        }
    }

    /// A request as it is compared, and whether its body is.
    private struct Group: Hashable {
        let key: ReplayKeys.Key
        let hasBody: Bool
    }

    /// The tracks in the order of their first entries.
    private(set) var tracks: [Track] = []
    /// The mistake in the first invalid entry, or in the cassette.
    let problem: String?

    private let entries: [HAREntry]
    private let compared: ReplayKeys
    /// The positions of the tracks, by their requests and by whether the body is compared.
    private var positions: [Bool: [RequestForm: [Int]]] = [:]

    /// Makes the routes of a file.
    init(of file: RecordingFile, at location: SourceCodeLocation) {
        let cassette = file.cassette
        entries = file.entries
        compared = ReplayKeys(of: entries, file.content.placeholders, for: cassette)
        let responses = entries.map {
            MockResponse(replaying: $0, isDelayed: cassette.replaysDelays)
        }
        problem =
            cassette.matching.problem
            .map { "The cassette \(cassette.name.debugDescription): \($0)." }
            ?? responses.enumerated().lazy.compactMap { index, response in
                response.problem.map {
                    "Entry \(index + 1) of \(cassette.shownPath) is invalid: \($0)."
                }
            }.first
        let requests = entries.map(\.request.recorded)
        var groups: [Group: [Int]] = [:]
        for (index, entry) in entries.enumerated() {
            guard let request = requests[index] else { continue }
            let hasBody = entry.request.hasBody
            let key = compared.key(of: request, hasBody: hasBody)
            groups[Group(key: key, hasBody: hasBody), default: []].append(index + 1)
        }
        for (group, numbers) in groups.sorted(by: { $0.value[0] < $1.value[0] }) {
            guard let request = requests[numbers[0] - 1] else { continue }
            let route = MockRoute(
                compared.pattern(group.key, of: request, hasBody: group.hasBody),
                replies: numbers.map { .response(responses[$0 - 1]) },
                times: cassette.repeatsLastEntry
                    ? .atLeast(numbers.count) : Times(integerLiteral: numbers.count),
                number: tracks.count, location: location,
                entry: RecordedEntries.text(of: numbers) + " of \(cassette.shownPath)")
            positions[group.hasBody, default: [:]][group.key.form, default: []]
                .append(tracks.count)
            let isOwn = numbers.contains { file.isOwn(entries[$0 - 1]) }
            tracks.append(Track(route: route, numbers: numbers, isOwn: isOwn, key: group.key))
        }
    }

    var routes: [MockRoute] { tracks.map(\.route) }

    /// Returns the tracks that a request matches, in the order in which they reply.
    func matches(for request: RecordedRequest) -> [Track] {
        return positions.flatMap { hasBody, positions in
            let key = compared.key(of: request, hasBody: hasBody)
            return (positions[key.form] ?? []).map { tracks[$0] }.filter {
                $0.key.agrees(with: key)
            }
        }
        .sorted { $0.rank < $1.rank }
    }

    /// Returns the unused entries of the running test, except entries that routes served instead.
    func unused(besides requests: [RecordedRequest]) -> [(number: Int, request: String)] {
        let unused = tracks.filter { $0.isOwn && $0.route.unusedReplyCount > 0 }
        guard !unused.isEmpty else { return [] }
        let counts = requests.flatMap(matches)
            .reduce(into: [Int: Int]()) { $0[$1.route.number, default: 0] += 1 }
        return unused.flatMap { track in
            track.numbers.suffix(track.route.unusedReplyCount)
                .dropFirst(counts[track.route.number, default: 0])
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

extension MockResponse {
    /// Creates the recorded response of an entry, with its own header fields only.
    ///
    /// An entry whose body is missing in the file fails the load at once.
    init(replaying entry: HAREntry, isDelayed: Bool) {
        if let error = entry.response.error {
            let url = Redaction.secrets.text(ofValue: entry.request.url)
            let failure = TestFailure(
                "The recording of \(entry.request.method) \(url) is not complete: \(error).",
                at: nil)
            self.init(.failure { _ in failure })
            return
        }
        var response = MockResponse(status: entry.response.status, .body(entry.response.body))
        response.headers = [:]
        for field in entry.response.headers where field.name.problemAsHeaderName == nil {
            response = response.header(field.name, field.value)
        }
        self = isDelayed ? response.delayed(entry.wait) : response
    }
}
