import APIKit
import Foundation

extension MockServer {
    /// Everything that is wrong so far and was not reported yet: requests that no route answered,
    /// and routes that were requested too little.
    ///
    /// For test frameworks other than Swift Testing and XCTest.
    public var failures: [TestFailure] {
        state.withLock { $0 }.allFailures.merged
    }

    /// Fails the test for everything that is wrong so far, once each.
    ///
    /// Under the `.mockServer` trait and `XCTestCase.mockServer()` this happens by
    /// itself at the end of the test.
    ///
    /// Call it in a task of the test: in a detached one, or in a callback, Swift Testing cannot tell
    /// which test failed, and the failure is lost.
    public func verify() {
        for failure in takeFailures(includingShortfalls: true).merged { failure.record() }
    }

    /// Fails the test unless a number of requests match a pattern.
    ///
    /// Call it in a task of the test: in a detached one, or in a callback, Swift Testing cannot tell
    /// which test failed, and the failure is lost.
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
        TestFailure(
            """
            \(pattern) was requested \(counted(count)), expected \(times). The server received:\
            \(list(of: received))
            """,
            at: SourceCodeLocation(fileID, filePath, line, column)
        ).record()
    }

    /// Fails the test unless requests arrived in an order, whatever else came between them.
    ///
    /// Call it in a task of the test: in a detached one, or in a callback, Swift Testing cannot tell
    /// which test failed, and the failure is lost.
    ///
    /// - Parameters:
    ///   - patterns: The requests in their order, each to be matched by one of its own.
    ///   - fileID: The place to report a failure at.
    ///   - filePath: The place to report a failure at.
    ///   - line: The place to report a failure at.
    ///   - column: The place to report a failure at.
    public func verifyOrder(
        _ patterns: RequestPattern...,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line,
        column: Int = #column
    ) {
        let received = requests
        var rest = received[...]
        for (index, pattern) in patterns.enumerated() {
            if let match = rest.firstIndex(where: pattern.matches) {
                rest = rest[(match + 1)...]
                continue
            }
            let place = index == 0 ? "" : " after \(patterns[index - 1])"
            TestFailure(
                "\(pattern) was not requested\(place). The server received:\(list(of: received))",
                at: SourceCodeLocation(fileID, filePath, line, column)
            ).record()
            return
        }
    }

    /// Returns the next request that matches a pattern, and waits for it if it has to.
    ///
    /// Each request is returned once, the earliest first.
    ///
    /// - Parameters:
    ///   - pattern: The request to wait for.
    ///   - limit: How long to wait, in real time.
    ///   - fileID: The place to blame in the error.
    ///   - filePath: The place to blame in the error.
    ///   - line: The place to blame in the error.
    ///   - column: The place to blame in the error.
    /// - Returns: The request.
    /// - Throws: A ``TestFailure`` when the limit has passed, or `CancellationError`.
    public func nextRequest(
        _ pattern: RequestPattern = .any,
        within limit: Duration = .seconds(60),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line,
        column: Int = #column
    ) async throws -> RecordedRequest {
        let deadline = ContinuousClock.now + limit.bounded
        while true {
            let (journal, taken) = state.withLock { ($0.journal, $0.taken) }
            let next = journal.indices.first { index in
                !taken.contains(index) && pattern.matches(journal[index])
            }
            if let next {
                if state.withLock({ $0.taken.insert(next).inserted }) { return journal[next] }
                continue
            }
            let rest = ContinuousClock.now.duration(to: deadline)
            if await arrivals.reaches(journal.count + 1, within: rest) { continue }
            try Task.checkCancellation()
            throw TestFailure(
                "\(pattern) was not requested within \(limit). The server received:"
                    + list(of: journal),
                at: SourceCodeLocation(fileID, filePath, line, column))
        }
    }

    private func list(of requests: [RecordedRequest]) -> String {
        requests.isEmpty ? " nothing" : requests.map { "\n  - \($0)" }.joined()
    }

    /// Returns what is wrong so far, and leaves nothing of it for the next time.
    func takeFailures(includingShortfalls: Bool) -> [TestFailure] {
        state.withLock { state in
            let failures = includingShortfalls ? state.allFailures : state.failures
            state.failures = []
            for route in state.routes where route.shortfall != nil { route.markReported() }
            return failures
        }
    }
}

extension MockServer.State {
    fileprivate var allFailures: [TestFailure] {
        failures
            + routes.compactMap { route in
                route.shortfall.map { TestFailure($0, at: route.location) }
            }
    }
}

extension [TestFailure] {
    /// The failures, each once, with the number of times that it was there.
    var merged: [TestFailure] {
        var counts: [TestFailure: Int] = [:]
        for failure in self { counts[failure, default: 0] += 1 }
        var seen: Set<TestFailure> = []
        return filter { seen.insert($0).inserted }.map { failure in
            let count = counts[failure] ?? 1
            return count > 1 ? failure.appending(" (\(counted(count)))") : failure
        }
    }
}
