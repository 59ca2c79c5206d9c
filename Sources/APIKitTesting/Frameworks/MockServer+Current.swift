extension MockServer {
    /// The server of the running test, made by the `.mockServer` trait.
    ///
    /// Without the trait the test fails, and nothing verifies the returned server. A detached task and a
    /// queue have no running test: read the property before.
    public static var current: MockServer {
        if let server = TestScope.current?.server { return server }
        let advice =
            TestFailure.hasCurrentTest
            ? "Add the trait .mockServer to the test or its suite."
            : """
            In Swift Testing, read it in a task of the test, not in a detached task or on a queue. In \
            an XCTest, declare a property of the test class, and use it instead: lazy var server = \
            mockServer()
            """
        TestFailure("MockServer.current has no server. \(advice)", at: nil).report()
        return MockServer()
    }
}
