import Foundation

/// A request with its response, in the journal of a server and in a file.
struct RecordedExchange: Sendable {
    /// Where a response comes from: a route, or the network and what records it.
    enum Source {
        case route(MockRoute)
        case network(any ResponseRecorder)
    }

    /// The time of the request, if it is known.
    var startedAt: Date?
    var request: RecordedRequest
    var response: RecordedResponse
    /// The test that has recorded the exchange, as the argument of `swift test --filter`.
    var test: String?
    /// The source of the response, unless it is a file.
    var source: Source?

    /// The route that has replied.
    var route: MockRoute? { if case .route(let route)? = source { route } else { nil } }

    /// What records the response.
    var recorder: (any ResponseRecorder)? {
        if case .network(let recorder)? = source { recorder } else { nil }
    }
}

extension RecordedExchange {
    /// Creates the exchange of a request that has just arrived, with the first events of its response.
    init(_ request: RecordedRequest, _ events: [LoadingEvent], from source: Source?) {
        self.init(
            startedAt: Date(), request: request, response: RecordedResponse(), source: source)
        response = RecordedResponse(events, isWhole: recorder != nil)
    }
}
