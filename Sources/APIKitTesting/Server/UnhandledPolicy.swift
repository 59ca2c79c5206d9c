/// The policy of a server for requests without a matching route.
///
/// It does not apply to requests that a ``Cassette`` replays or records.
public enum UnhandledPolicy: Sendable {
    /// Throws ``UnhandledRequestError`` to the code under test, and fails the test.
    case fail

    /// Sends the request to the real network, like ``MockResponse/passthrough``.
    case passthrough

    /// Replies with a response, and does not fail the test.
    case reply(MockResponse)
}
