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
    }

    /// A track whose route a request matches, with the values of its placeholders.
    struct Match {
        let track: Track
        let values: LiveValues.Found
        /// The rank of the track, because the matching track with the lowest rank replies.
        let rank: (Int, Int, Int, Int)
    }

    /// The tracks in the order of their first entries.
    private(set) var tracks: [Track] = []
    /// The mistake in the first invalid entry, or in the cassette.
    let problem: String?

    private let entries: [HAREntry]
    private let matching: Matching
    private let placeholders: PlaceholderSet
    private let hasPlaceholders: Bool
    private var index = RouteIndex()

    /// Makes the routes of a file.
    ///
    /// A secret in a request matches any value if the cassette masks it, but the file does not.
    init(of file: RecordingFile, at location: SourceCodeLocation) {
        let (cassette, matching) = (file.cassette, file.cassette.matching)
        let placeholders = PlaceholderSet(file.content.placeholders)
        (entries, self.matching, self.placeholders) = (file.entries, matching, placeholders)
        var secrets: [String: Int] = [:]
        let requests = file.entries.enumerated().compactMap { index, entry in
            let masked = entry.request.masked(
                by: cassette.redaction, besides: placeholders, numbering: &secrets)
            return Keyed(entry, masked, number: index + 1, matching, placeholders)
        }
        hasPlaceholders = !file.content.placeholders.isEmpty || requests.contains(where: \.isOpen)
        let credentials = Keyed.credentials(of: requests, besides: matching)
        let groups = Dictionary(grouping: requests) { $0.key + $0.values(of: credentials) }
        let responses = file.entries.map {
            MockResponse(replaying: $0, isDelayed: cassette.replaysDelays)
        }
        problem =
            matching.problem.map { "The cassette \(cassette.name.debugDescription): \($0)." }
            ?? responses.firstIndex { $0.problem != nil }.map { index in
                let problem = responses[index].problem ?? ""
                return "Entry \(index + 1) of \(cassette.shownPath) is invalid: \(problem)."
            }
        for group in groups.values.sorted(by: { $0[0].number < $1[0].number }) {
            let (first, numbers) = (group[0], group.map(\.number))
            let route = MockRoute(
                matching.pattern(
                    of: first.request, placeholders, hasBody: first.hasBody,
                    credentials: credentials[first.shape] ?? []),
                replies: numbers.map { .response(responses[$0 - 1]) },
                times: cassette.repeatsLastEntry
                    ? .atLeast(numbers.count) : Times(integerLiteral: numbers.count),
                number: tracks.count, location: location,
                entry: RecordedEntries.text(of: numbers) + " of \(cassette.shownPath)")
            index.insert(
                route, at: matching.steps(of: first.request, placeholders, hasBody: first.hasBody))
            let isOwn = numbers.contains { file.isOwn(file.entries[$0 - 1]) }
            tracks.append(Track(route: route, numbers: numbers, isOwn: isOwn))
        }
    }

    var routes: [MockRoute] { tracks.map(\.route) }

    /// Returns the tracks that a request matches.
    func matches(for request: RecordedRequest) -> [Match] {
        guard !tracks.isEmpty else { return [] }
        let request = request.decodingOnce
        let steps = matching.steps(of: request).map { step in
            if case .literal(let text) = step { text } else { "" }
        }
        return index.candidates(for: steps).joined().compactMap { route in
            guard let values = route.pattern.match(request) else { return nil }
            let track = tracks[route.number]
            return Match(track: track, values: values, rank: rank(of: track, values))
        }
    }

    private func rank(of track: Track, _ values: LiveValues.Found) -> (Int, Int, Int, Int) {
        // Whether the value of a placeholder is another placeholder, from an earlier response.
        let isForeign = values.contains { $0 != $1 && placeholders.contains($1) }
        let count = track.route.requestCount
        let next = count < track.numbers.count ? track.numbers[count] : .max
        // Prefer an entry without placeholders, because it is equal to the request.
        return (isForeign ? 1 : 0, values.isEmpty ? 0 : 1, track.isOwn ? 0 : 1, next)
    }

    /// Returns the placeholders in the response that a track has just used.
    func placeholders(inResponseOf track: Track) -> Set<String> {
        guard hasPlaceholders else { return [] }
        let used = min(track.route.requestCount, track.numbers.count)
        let response = entries[track.numbers[used - 1] - 1].response
        let texts = response.headers.map { Array($0.value.utf8) } + [Array(response.body)]
        return texts.reduce(into: []) { found, bytes in
            for range in placeholders.occurrences(in: bytes) {
                found.insert(String(decoding: bytes[range], as: UTF8.self))
            }
        }
    }

    /// Returns the unused entries of the running test, except entries that routes served instead.
    func unused(besides requests: [RecordedRequest]) -> [(number: Int, request: String)] {
        let unused = tracks.filter { $0.isOwn && $0.route.unusedReplyCount > 0 }
        guard !unused.isEmpty else { return [] }
        let counts = requests.flatMap(matches)
            .reduce(into: [Int: Int]()) { $0[$1.track.route.number, default: 0] += 1 }
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

/// The request of an entry, with the keys that group it with other requests.
private struct Keyed {
    typealias Key = [PathTemplate.Segment]

    let number: Int
    let request: RecordedRequest
    let hasBody: Bool
    /// The key that requests share if they are equal, including their placeholders.
    let key: Key
    /// The key that requests share if they are equal except for their placeholders.
    let shape: Key
    /// The header fields with placeholders of the file.
    private let credentials: [String: String]

    var isOpen: Bool { key != shape || !credentials.isEmpty }

    init?(
        _ entry: HAREntry, _ masked: HAREntry.Request, number: Int, _ matching: Matching,
        _ placeholders: PlaceholderSet
    ) {
        guard let request = masked.recorded else { return nil }
        self.number = number
        self.request = request
        hasBody = entry.request.hasBody
        key = matching.steps(of: request, hasBody: hasBody)
        shape =
            masked.isOpen(placeholders)
            ? matching.steps(of: masked.blanked(placeholders).recorded ?? request, hasBody: hasBody)
            : key
        credentials = entry.request.headers.reduce(into: [:]) { found, field in
            guard placeholders.occur(in: field.value) else { return }
            found[field.name.lowercased()] = request.normalizedValue(of: field.name)
        }
    }

    /// Returns the header fields whose credentials differ among requests of one shape.
    static func credentials(of requests: [Keyed], besides matching: Matching) -> [Key: [String]] {
        let ignored = matching.ignoredHeaders.union(matching.headers)
        return Dictionary(grouping: requests, by: \.shape).compactMapValues { requests in
            let names = Set(requests.flatMap(\.credentials.keys)).subtracting(ignored)
            let distinct = names.filter { name in
                var values = Set(requests.map { $0.credentials[name] })
                // A cookie can have expired since the recording.
                if name == "cookie" { values.remove(nil) }
                return values.count > 1
            }
            return distinct.isEmpty ? nil : distinct.sorted()
        }
    }

    /// Returns the credentials that distinguish the request from others with its shape.
    func values(of credentials: [Key: [String]]) -> Key {
        (credentials[shape] ?? []).map { .literal(self.credentials[$0] ?? "") }
    }
}

extension MockResponse {
    /// Creates the recorded response of an entry, with its own header fields only.
    ///
    /// An entry whose body is missing in the file fails the load at once.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - isDelayed: Whether the response takes as long as the recorded one.
    init(replaying entry: HAREntry, isDelayed: Bool) {
        if let error = entry.response.error {
            let url = Redaction.secrets.text(ofValue: entry.request.url)
            let failure = TestFailure(
                "The recording of \(entry.request.method) \(url) \(error)", at: nil)
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
