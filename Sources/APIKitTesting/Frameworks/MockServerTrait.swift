#if canImport(Testing)
import Testing

/// A trait that gives each test a server of its own, and verifies it when the test ends.
///
/// On a suite it applies to every test in it, and to every argument of a parameterized test.
public struct MockServerTrait: TestTrait, SuiteTrait, TestScoping {
    /// Always `true`: on a suite the trait applies to every test in it.
    public var isRecursive: Bool { true }

    /// Runs a test with a server of its own.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let server = MockServer()
        let scope = TestScope(server)
        // The tasks that responders are started from keep the scope, so it must not keep the server.
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
    /// Gives each test a server of its own, which it finds as `MockServer.current`.
    public static var mockServer: Self { Self() }
}
#endif
