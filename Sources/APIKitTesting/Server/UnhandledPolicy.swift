/// What a server does with a request that no route answers.
public enum UnhandledPolicy: Sendable {
    /// Throws ``UnhandledRequestError`` to the code under test, and fails the test.
    case fail

    /// Lets the request through to the real network.
    case passthrough

    /// Answers with a response, and leaves the test alone.
    case reply(MockResponse)
}
