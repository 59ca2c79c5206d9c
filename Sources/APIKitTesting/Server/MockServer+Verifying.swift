import APIKit
import Foundation

extension MockServer {
    /// The failures that have not been reported yet: unhandled requests, invalid routes, routes with
    /// too few requests, and recordings with mistakes or unused entries.
    ///
    /// If there is an unhandled request, or if a route or a recording is invalid, missing
    /// requests are not reported, because they may be a consequence.
    ///
    /// Use it with test frameworks other than Swift Testing and XCTest.
    public var failures: [TestFailure] {
        let state = state.withLock { $0 }
        return (state.failures + state.shortfalls).merged
    }

    /// Fails the test once for each distinct failure so far.
    ///
    /// The `.mockServer` trait and `XCTestCase.mockServer()` do so automatically at the end of the
    /// test. Without them, the method also writes the recordings of the server, unless it fails the
    /// test.
    ///
    /// Call it in a task of the test. In a detached task or a callback, Swift Testing cannot attribute
    /// the failure to a test, and drops it.
    public func verify() {
        var failures = state.takeFailures(includingShortfalls: true).merged
        if scope == nil {
            failures += state.withLock { $0 }.finish(testHasPassed: failures.isEmpty)
        }
        for failure in failures { failure.report() }
    }

    /// Fails the test unless the expected number of requests matches a pattern.
    ///
    /// Call it in a task of the test. In a detached task or a callback, Swift Testing cannot attribute
    /// the failure to a test, and drops it.
    ///
    /// - Parameters:
    ///   - pattern: The requests to count, from any route.
    ///   - times: The expected number of requests.
    ///   - fileID: The file of a failure.
    ///   - filePath: The path of that file.
    ///   - line: The line of a failure.
    ///   - column: The column of a failure.
    public func verify(
        _ pattern: RequestPattern,
        times: Times = .once,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line,
        column: Int = #column
    ) {
        let location = SourceCodeLocation(fileID, filePath, line, column)
        if let failure = TestFailure(of: pattern, at: location) { return failure.report() }
        let received = state.withLock { $0.journal }
        let count = received.count { pattern.matches($0.request) }
        guard !times.range.contains(count) else { return }
        TestFailure(
            """
            \(pattern) was requested \(counted(count)), expected \(times). The server received:\
            \(list(of: received.map(\.request), comparedWith: pattern))
            """,
            at: location
        ).report()
    }

    /// Fails the test unless requests arrived in the given order, possibly with others between them.
    ///
    /// Call it in a task of the test. In a detached task or a callback, Swift Testing cannot attribute
    /// the failure to a test, and drops it.
    ///
    /// - Parameters:
    ///   - patterns: The requests in order. Each pattern needs a separate request.
    ///   - fileID: The file of a failure.
    ///   - filePath: The path of that file.
    ///   - line: The line of a failure.
    ///   - column: The column of a failure.
    public func verifyOrder(
        _ patterns: RequestPattern...,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line,
        column: Int = #column
    ) {
        let location = SourceCodeLocation(fileID, filePath, line, column)
        for pattern in patterns {
            if let failure = TestFailure(of: pattern, at: location) { return failure.report() }
        }
        let received = requests
        var rest = received[...]
        for (index, pattern) in patterns.enumerated() {
            if let match = rest.firstIndex(where: pattern.matches) {
                rest = rest[(match + 1)...]
                continue
            }
            let place = index == 0 ? "" : " after \(patterns[index - 1])"
            TestFailure(
                "\(pattern)\(place) was not requested. The server received:"
                    + list(of: received, comparedWith: pattern),
                at: location
            ).report()
            return
        }
    }

    /// Waits for the next request that matches a pattern.
    ///
    /// The method returns each request only once, the earliest first. It does not wait for a request
    /// that has already arrived.
    ///
    /// - Parameters:
    ///   - pattern: The request to wait for.
    ///   - limit: The longest wait, in real time.
    ///   - fileID: The file of the error.
    ///   - filePath: The path of that file.
    ///   - line: The line of the error.
    ///   - column: The column of the error.
    /// - Returns: The request.
    /// - Throws: A ``TestFailure`` after the limit, or `CancellationError`.
    public func nextRequest(
        _ pattern: RequestPattern = .any,
        within limit: Duration = .seconds(60),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line,
        column: Int = #column
    ) async throws -> RecordedRequest {
        let location = SourceCodeLocation(fileID, filePath, line, column)
        if let failure = TestFailure(of: pattern, at: location) { throw failure }
        let deadline = ContinuousClock.now + limit.bounded
        while true {
            // Matching calls user closures, so do not hold a lock here.
            let (journal, unread) = state.withLock { ($0.journal, $0.unread) }
            if let next = unread.first(where: { pattern.matches(journal[$0].request) }) {
                let isUnread = state.withLock { $0.unread.remove(next) != nil }
                if isUnread { return journal[next].request }
                continue
            }
            let rest = ContinuousClock.now.duration(to: deadline)
            if await arrivals.reaches(journal.count + 1, within: rest) { continue }
            try Task.checkCancellation()
            throw TestFailure(
                "\(pattern) was not requested within \(limit). The server received:"
                    + list(of: requests, comparedWith: pattern),
                at: location)
        }
    }

    /// Returns a list of the requests, with the first differences if the method and path match.
    private func list(
        of requests: [RecordedRequest], comparedWith pattern: RequestPattern
    ) -> String {
        guard !requests.isEmpty else { return " nothing" }
        // A source may mask further secrets.
        let source = state.withLock { $0.source }
        let list = LimitedList(requests) { request in
            let text = "\(request)\(pattern.firstDifferences(from: request))"
            return source?.masked(text) ?? text
        }
        return list.lines(noun: "request")
    }
}

extension Locked<MockServer.State> {
    /// Returns the failures so far, and removes them.
    ///
    /// The advice ends the failures of routes with too few requests.
    func takeFailures(includingShortfalls: Bool, advice: String = "") -> [TestFailure] {
        let taken = withLock { state in
            defer { state.failures = [] }
            return state
        }
        defer {
            for route in taken.routes + (taken.source?.routes ?? []) {
                route.markReported()
            }
        }
        return taken.failures.map { TestFailure($0.message, at: $0.location ?? taken.location) }
            + (includingShortfalls ? taken.shortfalls.map { $0.appending(advice) } : [])
    }
}

extension RequestPattern {
    /// Returns up to three differences from a request whose method and path match.
    fileprivate func firstDifferences(from request: RecordedRequest) -> String {
        guard closeness(to: request) == .matching, !matches(request) else { return "" }
        var list = LimitedList(showing: 3)
        addDifferences(from: ComparedRequest(request, written: text), to: &list)
        return " (\(list.textOnOneLine))"
    }
}

extension TestFailure {
    /// Creates the failure for a pattern with a mistake, or `nil` for a valid pattern.
    init?(of pattern: RequestPattern, at location: SourceCodeLocation?) {
        guard let problem = pattern.problem else { return nil }
        self.init("A pattern is invalid: \(problem)", at: location)
    }
}

extension MockServer.State {
    /// The failures of routes with too few requests and of recordings with unused entries, or none if
    /// another failure may be the cause.
    ///
    /// Matching calls user closures, so do not hold a lock here.
    var shortfalls: [TestFailure] {
        guard !hidesShortfalls else { return [] }
        let unused = routes.filter(\.hasShortfall)
        let later = unused.isEmpty ? [:] : laterRoutes
        return unused.map { route in
            TestFailure(route.shortfall(besides: later[route.number]), at: route.location)
        } + (source?.shortfalls(besides: routes) ?? [])
    }

    /// Ends the test, and returns the failures and warnings of its recordings.
    func finish(testHasPassed: Bool) -> [TestFailure] {
        source?.finish(testHasPassed: testHasPassed, after: self) ?? []
    }

    /// For each route with too few requests, by number: the newest route that took one of them.
    private var laterRoutes: [Int: MockRoute] {
        routes.reduce(into: [:]) { later, route in
            for request in route.requests {
                for other in index.candidates(for: request.pathSegments)
                where other.number < route.number && other.hasShortfall
                    && other.pattern.matches(request)
                {
                    later[other.number] = route
                }
            }
        }
    }
}
