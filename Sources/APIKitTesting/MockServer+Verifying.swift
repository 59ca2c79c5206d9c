import APIKit
import Foundation

extension MockServer {
    /// Everything that is wrong so far and was not reported yet: requests that no route answered,
    /// and routes that were requested too little.
    ///
    /// For test frameworks other than Swift Testing and XCTest.
    public var failures: [TestFailure] {
        state.withLock { $0 }.allFailures
    }

    /// Fails the test for everything that is wrong so far, once each.
    ///
    /// Under the ``Testing/Trait/mockServer`` trait and `XCTestCase.mockServer()` this happens by
    /// itself at the end of the test.
    public func verify() {
        for failure in takeFailures(includingShortfalls: true) { failure.record() }
    }

    /// Fails the test unless a number of requests match a pattern.
    ///
    /// - Parameters:
    ///   - pattern: The requests to count, whichever route served them.
    ///   - times: How many there have to be.
    ///   - fileID: The place to report a failure at.
    ///   - filePath: The place to report a failure at.
    ///   - line: The place to report a failure at.
    ///   - column: The place to report a failure at.
    public func verify(
        _ pattern: RequestPattern,
        times: Times = .once,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line,
        column: Int = #column
    ) {
        let received = requests
        let count = received.filter(pattern.matches).count
        guard !times.range.contains(count) else { return }
        let list = received.isEmpty ? " nothing" : received.map { "\n  - \($0)" }.joined()
        TestFailure(
            """
            \(pattern) was requested \(counted(count)), expected \(times). The server received:\
            \(list)
            """,
            at: SourcePlace(fileID, filePath, line, column)
        ).record()
    }

    /// Returns what is wrong so far, and leaves nothing of it for the next time.
    func takeFailures(includingShortfalls: Bool) -> [TestFailure] {
        state.withLock { state in
            let failures = includingShortfalls ? state.allFailures : state.missFailures
            state.failures = []
            for route in state.routes where route.shortfall != nil { route.markReported() }
            return failures
        }
    }
}

extension MockServer.State {
    var allFailures: [TestFailure] {
        missFailures
            + routes.compactMap { route in
                route.shortfall.map { TestFailure($0, at: route.location) }
            }
    }

    /// The failures so far, those that repeat themselves counted instead of listed.
    var missFailures: [TestFailure] {
        var counts: [TestFailure: Int] = [:]
        for failure in failures { counts[failure, default: 0] += 1 }
        var seen: Set<TestFailure> = []
        return failures.filter { seen.insert($0).inserted }.map { failure in
            let count = counts[failure] ?? 1
            return count > 1 ? failure.appending(" (\(counted(count)))") : failure
        }
    }
}
