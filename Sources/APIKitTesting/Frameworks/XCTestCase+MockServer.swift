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
    ///   - unhandled: The policy for requests without a matching route.
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
        let test = VerifiedTest(testCase: self)
        guard RunningTests.shared.add(server, at: location, of: self) else { return server }
        // One block for all servers: with a block each, a failure of one server would suppress the
        // shortfalls of the others.
        addTeardownBlock { test.verify() }
        return server
    }
}

extension XCTestCase {
    /// Returns a server that replays a recording, and is verified when the running test ends.
    ///
    /// If there is no recording, the test sends its requests to the real server, and writes the
    /// recording when it has passed. If the environment variable `CI` is set, it fails instead.
    ///
    /// - Parameters:
    ///   - name: The name of the file in the folder `Recordings` beside the source file, without its
    ///     extension.
    ///   - clock: The clock that measures delays.
    ///   - unhandled: The policy for requests without a matching route or entry.
    ///   - fileID: The file of a failure.
    ///   - filePath: The path of that file, beside which the recording lies.
    ///   - line: The line of a failure.
    /// - Returns: The server.
    public func mockServer(
        replaying name: String,
        clock: any Clock<Duration> = ContinuousClock(),
        unhandled: UnhandledPolicy = .fail,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line
    ) -> MockServer {
        mockServer(
            replaying: Cassette(name, filePath: "\(filePath)"), clock: clock, unhandled: unhandled,
            fileID: fileID, filePath: filePath, line: line)
    }

    /// Returns a server that replays a recording, and is verified when the running test ends.
    ///
    /// - Parameters:
    ///   - cassette: The recording.
    ///   - clock: The clock that measures delays.
    ///   - unhandled: The policy for requests without a matching route or entry.
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

/// Unchecked because `XCTestCase` is not `Sendable`; only its teardown block uses it.
private struct VerifiedTest: @unchecked Sendable {
    let testCase: XCTestCase

    /// Fails the test for each failure of its servers that the test itself has not recorded.
    func verify() {
        let hasPassed = hasPassed
        var writesRecordings = hasPassed
        guard let test = RunningTests.shared.remove(testCase) else { return }
        for (server, location) in test.servers {
            let failures = server.takeFailures(includingShortfalls: hasPassed)
                .filter { !test.scope.hasRecorded($0) }
            if !failures.isEmpty { writesRecordings = false }
            for failure in failures.merged {
                TestFailure(failure.message, at: failure.location ?? location).record()
            }
        }
        for failure in test.scope.finishTapes(testHasPassed: writesRecordings) { failure.record() }
    }

    /// Whether the test has neither failed nor been skipped.
    private var hasPassed: Bool {
        guard let run = testCase.testRun else { return true }
        return run.totalFailureCount == 0 && !run.hasBeenSkipped
    }
}

/// The running tests with servers, and the failures that XCTest records for them.
///
/// XCTest itself records an error that a test throws, such as an ``UnhandledRequestError``.
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

    struct RunningTest {
        let scope: TestScope
        var servers: [(MockServer, SourceCodeLocation)] = []
    }

    // The teardown block that verifies the servers runs before `tearDown()`.
    private static let advice =
        " A request of tearDown() comes after this check: make it in an addTeardownBlock."

    private let state = Locked<[ObjectIdentifier: RunningTest]>([:])

    /// Returns the scope that the servers of a test share.
    func scope(of test: XCTestCase) -> TestScope {
        state.withLock { tests in
            let running =
                tests[ObjectIdentifier(test)]
                ?? RunningTest(
                    scope: TestScope(
                        testFilter: test.filter, adviceOnShortfalls: RunningTests.advice))
            tests[ObjectIdentifier(test)] = running
            return running.scope
        }
    }

    /// Adds a server of a test, and returns whether it is the first.
    func add(_ server: MockServer, at location: SourceCodeLocation, of test: XCTestCase) -> Bool {
        state.withLock { tests in
            tests[ObjectIdentifier(test)]?.servers.append((server, location))
            return tests[ObjectIdentifier(test)]?.servers.count == 1
        }
    }

    /// Removes a test, and returns it.
    func remove(_ test: XCTestCase) -> RunningTest? {
        state.withLock { $0.removeValue(forKey: ObjectIdentifier(test)) }
    }

    // On Apple platforms, XCTest calls this method of an observer without `testCase(_:didRecord:)`.
    func testCase(
        _ testCase: XCTestCase, didFailWithDescription description: String,
        inFile filePath: String?, atLine lineNumber: Int
    ) {
        state.withLock { $0[ObjectIdentifier(testCase)]?.scope }?.addRecorded(description)
    }
}
#endif
