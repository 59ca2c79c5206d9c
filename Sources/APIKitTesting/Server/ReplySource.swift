/// What replies to the requests that no route of a server serves, such as recordings.
///
/// A server knows nothing else of recordings.
protocol ReplySource: Sendable {
    /// Returns the reply to a request, and what records the response if it comes from the network.
    func reply(
        to request: RecordedRequest
    ) -> (reply: Reply, recorder: (any RecordedExchange.Origin)?)?

    /// The replies as routes, for messages.
    var routes: [MockRoute] { get }

    /// Returns those of the routes that a request matches.
    func routes(matching request: RecordedRequest) -> [MockRoute]

    /// The remedy for a request without a reply.
    var advice: String { get }

    /// Returns a text of a failure with the secrets of the source masked.
    func masked(_ text: String) -> String

    /// Returns the failures of what no request has used, not even one that a route served.
    func shortfalls(besides routes: [MockRoute]) -> [TestFailure]

    /// Ends the test, and returns its further failures and warnings.
    func finish(testHasPassed: Bool, after state: MockServer.State) -> [TestFailure]

    /// Says what is lost when a server is released that nothing has verified.
    func warnOfUnfinished(after state: MockServer.State)
}
