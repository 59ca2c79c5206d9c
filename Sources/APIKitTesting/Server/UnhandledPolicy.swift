/// The policy of a server for requests without a matching route.
public enum UnhandledPolicy: Sendable {
    /// Throws ``UnhandledRequestError`` to the code under test, and fails the test.
    case fail

    /// Sends the request to the real network, like ``MockResponse/passthrough``.
    case passthrough

    /// Replies with a response, and does not fail the test.
    case reply(MockResponse)
}
