import Foundation

/// A request with its response: the value of the journal, and of a recording.
///
/// A server adds it to its journal when the request arrives, and then the events of the response. A
/// recording takes from the journal the exchanges of which it is the origin. Its file holds the same
/// values, without an origin.
struct RecordedExchange: Sendable {
    /// The route that has replied, or what records the response of the network.
    typealias Origin = AnyObject & Sendable

    /// The time of the request, if it is known.
    var startedAt: Date?

    /// The request.
    var request: RecordedRequest

    /// The response as far as it has arrived.
    var response: RecordedResponse

    /// The test that has recorded the exchange, as the argument of `swift test --filter`.
    var test: String?

    /// Where the response comes from.
    private(set) var origin: (any Origin)?

    /// Whether the load has ended with a response, after all redirects, or `nil` if it is in progress.
    var hasLoaded: Bool?

    /// The route that has replied.
    var route: MockRoute? { origin as? MockRoute }
}
