#if canImport(Testing)
import APIKit
import Testing

/// A trait that makes a server for each test, and verifies the servers of the test when it ends.
///
/// On a suite the trait applies to every test, and to every argument of a parameterized test. Several
/// traits, such as one of the suite and one of the test, prepare the same server.
public struct MockServerTrait: TestTrait, SuiteTrait, TestScoping {
    /// Prepares the server of each test.
    fileprivate var prepare: @Sendable (MockServer) -> Void = { _ in }

    /// Always `true`, so that the trait of a suite applies to every test in it.
    public var isRecursive: Bool { true }

    /// Runs a test with a new server, or with the server of an outer trait.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        // A call of this function has no case, and the test that makes it may have a server.
        if testCase != nil, let server = TestScope.current?.server {
            prepare(server)
            return try await function()
        }
        let scope = TestScope()
        try await TestScope.$current.withValue(scope) {
            // The first server of the scope, which does not retain it.
            let server = MockServer()
            prepare(server)
            defer { withExtendedLifetime(server) {} }
            var thrown: (any Error)?
            do {
                try await MockServerTrait.perform(
                    function, of: test, testCase, recordingIssuesIn: scope)
            } catch {
                thrown = error
            }
            let failures = await withCheckedContinuation { [thrown] continuation in
                // Comparing a large body takes seconds.
                Blocking.start { continuation.resume(returning: scope.takeFailures(after: thrown)) }
            }
            for failure in failures { failure.report() }
            if let thrown { throw thrown }
        }
    }

    /// Runs a test, and adds the text of each issue to a scope.
    private static func perform(
        _ function: @Sendable () async throws -> Void, of test: Test, _ testCase: Test.Case?,
        recordingIssuesIn scope: TestScope
    ) async throws {
        #if compiler(>=6.2)
        let observer = IssueHandlingTrait.compactMapIssues { issue in
            #if compiler(>=6.3)
            // A warning is not a failure. A known issue arrives here too, and fails no test.
            if issue.severity >= .error {
                scope.addReported("\(issue)", isFailure: issue.isFailure)
            }
            #else
            scope.addReported("\(issue)")
            #endif
            return issue
        }
        try await observer.provideScope(for: test, testCase: testCase, performing: function)
        #else
        try await function()
        #endif
    }
}

extension Trait where Self == MockServerTrait {
    /// Makes a server for each test, as `MockServer.current`.
    ///
    /// That server has the default clock and policy. If a test needs others, create a server in the
    /// test, such as `MockServer(clock: clock)`. The trait verifies it too.
    public static var mockServer: Self { Self() }

    /// Makes a server for each test, as `MockServer.current`, and replays a recording.
    ///
    /// ```swift
    /// @Test(.mockServer(replaying: "dogs")) func loadsTheDogsOfABreed() async throws {
    ///     let patch = DogPatch(session: MockServer.current.session)
    ///     #expect(try await patch.dogs(of: "akita").count == 1)
    /// }
    /// ```
    ///
    /// If there is no recording, the test sends its requests to the real server, and writes the
    /// recording when it has passed. If the environment variable `CI` is set, it fails instead, unless
    /// `APIKIT_RECORD` is set to a mode that records.
    ///
    /// - Parameters:
    ///   - cassette: The recording. A literal such as `"dogs"` names the file `Recordings/dogs.har`
    ///     beside the source file.
    ///   - fileID: The file of a failure.
    ///   - filePath: The path of that file.
    ///   - line: The line of a failure.
    ///   - column: The column of a failure.
    /// - Returns: The trait.
    public static func mockServer(
        replaying cassette: Cassette,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line,
        column: Int = #column
    ) -> Self {
        let location = SourceCodeLocation(fileID, filePath, line, column)
        return Self { $0.replay(cassette, at: location) }
    }

    /// Makes a server for each test, as `MockServer.current`, and compares the replies of its routes
    /// with a recording, as ``MockServer/compareStubs(with:fileID:filePath:line:column:)`` does.
    ///
    /// - Parameters:
    ///   - cassette: The recording, such as `"dogs"`.
    ///   - fileID: The file of a failure.
    ///   - filePath: The path of that file.
    ///   - line: The line of a failure.
    ///   - column: The column of a failure.
    /// - Returns: The trait.
    public static func mockServer(
        stubsLike cassette: Cassette,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line,
        column: Int = #column
    ) -> Self {
        let location = SourceCodeLocation(fileID, filePath, line, column)
        return Self { $0.compareStubs(with: cassette, at: location) }
    }
}
#endif
