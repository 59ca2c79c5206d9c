#if canImport(XCTest)
import APIKit
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
        let server = MockServer(clock: clock, unhandled: unhandled)
        let location = SourceCodeLocation(fileID, filePath, line, 1)
        let test = VerifiedTest(testCase: self)
        guard test.add(server, at: location) else { return server }
        // One block for all servers: with a block each, a failure of one server would suppress the
        // shortfalls of the others.
        addTeardownBlock {
            let hasPassed = test.hasPassed
            for (server, location) in test.takeServers() {
                let failures = server.takeFailures(includingShortfalls: hasPassed).merged
                for failure in failures {
                    TestFailure(failure.message, at: failure.location ?? location).record()
                }
            }
        }
        return server
    }
}

/// A running test, and the servers that are verified when it ends.
///
/// Unchecked because `XCTestCase` is not `Sendable`; only its teardown block uses it.
private struct VerifiedTest: @unchecked Sendable {
    private static let servers = Locked<[ObjectIdentifier: [(MockServer, SourceCodeLocation)]]>([:])

    let testCase: XCTestCase

    /// Adds a server of the test, and returns whether it is the first.
    func add(_ server: MockServer, at location: SourceCodeLocation) -> Bool {
        VerifiedTest.servers.withLock { servers in
            servers[ObjectIdentifier(testCase), default: []].append((server, location))
            return servers[ObjectIdentifier(testCase)]?.count == 1
        }
    }

    func takeServers() -> [(MockServer, SourceCodeLocation)] {
        VerifiedTest.servers.withLock { $0.removeValue(forKey: ObjectIdentifier(testCase)) ?? [] }
    }

    /// Whether the test has neither failed nor been skipped.
    var hasPassed: Bool {
        guard let run = testCase.testRun else { return true }
        return run.totalFailureCount == 0 && !run.hasBeenSkipped
    }
}
#endif
