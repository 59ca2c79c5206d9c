#if canImport(XCTest)
import APIKit
import Foundation
import XCTest

extension XCTestCase {
    /// Returns a server that is verified when the running test ends.
    ///
    /// XCTest accepts no teardown block in `tearDown`, so do not call this method there.
    ///
    /// ```swift
    /// final class UsersTests: XCTestCase {
    ///     lazy var server = mockServer()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - clock: The clock that measures delays.
    ///   - unhandled: The policy for unhandled requests.
    ///   - fileID: The file of an unhandled request's failure.
    ///   - filePath: The path of that file.
    ///   - line: The line of an unhandled request's failure.
    /// - Returns: The server.
    public func mockServer(
        clock: any Clock<Duration> = ContinuousClock(),
        unhandled: UnhandledPolicy = .fail,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line
    ) -> MockServer {
        let scope = RunningTests.shared.scope(of: self)
        let server = TestScope.$current.withValue(scope) {
            MockServer(clock: clock, unhandled: unhandled)
        }
        let location = SourceCodeLocation(fileID, filePath, line, 1)
        server.state.withLock { $0.location = location }
        scope.keep(server)
        return server
    }
}

extension XCTestCase {
    /// Returns a server that replays a recording, and is verified when the running test ends.
    ///
    /// If there is no recording, the test sends its requests to the real server, and writes the
    /// recording when it has passed. If the environment variable `CI` is set, it fails instead, unless
    /// `APIKIT_RECORD` is set to a mode that records.
    ///
    /// - Parameters:
    ///   - cassette: The recording. A literal such as `"dogs"` names the file `Recordings/dogs.har`
    ///     beside the source file.
    ///   - clock: The clock that measures delays.
    ///   - unhandled: The policy for unhandled requests.
    ///   - fileID: The file of a failure.
    ///   - filePath: The path of that file.
    ///   - line: The line of a failure.
    /// - Returns: The server.
    public func mockServer(
        replaying cassette: Cassette,
        clock: any Clock<Duration> = ContinuousClock(),
        unhandled: UnhandledPolicy = .fail,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line
    ) -> MockServer {
        let server = mockServer(
            clock: clock, unhandled: unhandled, fileID: fileID, filePath: filePath, line: line)
        server.replay(cassette, at: SourceCodeLocation(fileID, filePath, line, 1))
        return server
    }

    /// The argument of `swift test --filter` for the running test.
    ///
    /// The name is `UsersTests.testLoad` on Linux, and `-[UsersTests testLoad]` on Apple platforms.
    fileprivate var filter: String {
        let names = name.split { "-[]. ".contains($0) }
        return names.joined(separator: "/")
    }
}

/// The running tests with servers, and the failures that XCTest reports for them.
///
/// XCTest itself reports an error that a test throws, such as an ``UnhandledRequestError``.
private final class RunningTests: NSObject, XCTestObservation, Sendable {
    static let shared = {
        let tests = RunningTests()
        // On Apple platforms, XCTest raises an exception on any thread but the main thread, where
        // asynchronous tests do not run.
        if Thread.isMainThread {
            XCTestObservationCenter.shared.addTestObserver(tests)
        } else {
            let added = DispatchSemaphore(value: 0)
            DispatchQueue.main.async {
                XCTestObservationCenter.shared.addTestObserver(tests)
                added.signal()
            }
            // Without a limit, a main thread that waits for this thread would wait forever.
            _ = added.wait(timeout: .now() + 10)
        }
        return tests
    }()

    // The teardown block that verifies the servers runs before `tearDown()`.
    private static let advice =
        " A request of tearDown() comes after this check: make it in an addTeardownBlock."

    private let scopes = Locked<[ObjectIdentifier: TestScope]>([:])

    /// Returns the scope that the servers of a test share, and verifies them when the test ends.
    func scope(of test: XCTestCase) -> TestScope {
        let (scope, isNew) = scopes.withLock { scopes in
            if let scope = scopes[ObjectIdentifier(test)] { return (scope, false) }
            let scope = TestScope(testFilter: test.filter, adviceOnShortfalls: RunningTests.advice)
            scopes[ObjectIdentifier(test)] = scope
            return (scope, true)
        }
        guard isNew else { return scope }
        // `XCTestCase` is not `Sendable`, and only this block uses it.
        nonisolated(unsafe) let test = test
        // One block for all servers: with a block each, a failure of one server would suppress the
        // shortfalls of the others.
        test.addTeardownBlock { self.verify(test) }
        return scope
    }

    /// Fails a test for each failure of its servers that the test itself has not reported.
    private func verify(_ test: XCTestCase) {
        // A test that has failed or has been skipped may have skipped requests too.
        let hasPassed = test.testRun.map { $0.totalFailureCount == 0 && !$0.hasBeenSkipped } ?? true
        let scope = scopes.withLock { $0.removeValue(forKey: ObjectIdentifier(test)) }
        let failures = scope?.takeFailures(includingShortfalls: hasPassed)
        for failure in failures ?? [] { failure.report() }
    }

    // On Apple platforms, XCTest calls this method of an observer without `testCase(_:didRecord:)`.
    func testCase(
        _ testCase: XCTestCase, didFailWithDescription description: String,
        inFile filePath: String?, atLine lineNumber: Int
    ) {
        scopes.withLock { $0[ObjectIdentifier(testCase)] }?.addReported(description)
    }
}
#endif
