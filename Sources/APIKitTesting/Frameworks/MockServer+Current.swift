extension MockServer {
    /// The server of the running test, made by the `.mockServer` trait.
    ///
    /// Without the trait the test fails, and nothing verifies the returned server.
    public static var current: MockServer {
        if let server = TestScope.current?.server { return server }
        TestFailure(
            """
            MockServer.current has no server. Add the trait .mockServer to the test or its suite; \
            in XCTest, use lazy var server = mockServer().
            """,
            at: nil
        ).record()
        return MockServer()
    }
}
