#if canImport(XCTest)
import XCTest

extension XCTestCase {
    /// Returns a server that is verified when the running test ends.
    ///
    /// ```swift
    /// final class UsersTests: XCTestCase {
    ///     lazy var server = mockServer()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - clock: The clock that delays pass on.
    ///   - unhandled: What happens to a request that no route answers.
    ///   - fileID: The place to report an unhandled request at.
    ///   - filePath: The place to report an unhandled request at.
    ///   - line: The place to report an unhandled request at.
    /// - Returns: The server.
    public func mockServer(
        clock: any Clock<Duration> = ContinuousClock(),
        unhandled: UnhandledPolicy = .fail,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line
    ) -> MockServer {
        let server = MockServer(clock: clock, unhandled: unhandled)
        let place = SourcePlace(fileID, filePath, line, 1)
        let run = TestRun(testCase: self)
        addTeardownBlock {
            // A test that failed or was skipped on its way did not come to use all of its routes.
            for failure in server.takeFailures(includingShortfalls: run.isGood) {
                TestFailure(failure.message, at: failure.place ?? place).record()
            }
        }
        return server
    }
}

/// The run of a test, to be asked from its own teardown, which the type cannot say.
private struct TestRun: @unchecked Sendable {
    let testCase: XCTestCase

    var isGood: Bool {
        guard let run = testCase.testRun else { return true }
        return run.totalFailureCount == 0 && !run.hasBeenSkipped
    }
}
#endif
