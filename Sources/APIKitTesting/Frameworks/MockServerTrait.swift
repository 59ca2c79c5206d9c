#if canImport(Testing)
import Testing

/// A trait that makes a server for each test, and verifies the server when the test ends.
///
/// On a suite the trait applies to every test, and to every argument of a parameterized test.
public struct MockServerTrait: TestTrait, SuiteTrait, TestScoping {
    /// Always `true`, so that the trait of a suite applies to every test in it.
    public var isRecursive: Bool { true }

    /// Runs a test with a new server.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let server = MockServer()
        let scope = TestScope(server)
        // The scope holds the server weakly, because the tasks of responders retain the scope.
        defer { withExtendedLifetime(server) {} }
        try await TestScope.$current.withValue(scope) {
            do {
                try await function()
            } catch {
                for failure in scope.takeFailures(after: error) { failure.record() }
                throw error
            }
            for failure in scope.takeFailures(after: nil) { failure.record() }
        }
    }
}

extension Trait where Self == MockServerTrait {
    /// Makes a server for each test, as `MockServer.current`.
    public static var mockServer: Self { Self() }
}
#endif
