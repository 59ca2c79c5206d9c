import APIKit
import Foundation

/// The servers of one running test.
final class TestScope: Sendable {
    @TaskLocal static var current: TestScope?

    private struct WeakServer {
        weak var server: MockServer?
    }

    private struct State {
        var servers: [WeakServer] = []
        /// The failures of servers that were released before the test ended.
        var collected: [TestFailure] = []
        /// The failures of routes with too few requests on those servers.
        var shortfalls: [TestFailure] = []
        var warnings: [TestFailure] = []
        /// The texts of the failures that the test has recorded.
        var recorded: [String] = []
        /// Whether one of these failures fails the test, unlike a known issue.
        var hasFailed = false
        /// The cassettes of all servers, which may be released before their recordings are written.
        var tapes: [Tape] = []
        var isOver = false
    }

    /// The hint of a server that has outlived its test, such as one in a static property.
    static let hintWhenOver = """
        The test that first used this server has ended, so no test reports this request. Make a \
        server for each test, for example with MockServer.current in a stored property of the suite.
        """

    /// Returns the hint of a server that no test verifies.
    static func hint(hasCurrentTest: Bool, isTestProcess: Bool) -> String {
        let advice =
            if hasCurrentTest {
                "The test does not have the trait .mockServer. Without it,"
            } else if isTestProcess {
                "In an XCTest, make the server with mockServer() of the test. Otherwise,"
            } else {
                "Outside of a test,"
            }
        return "\(advice) only server.verify() reports this request."
    }

    /// The argument of `swift test --filter` for the test, if the creator of the scope knows it.
    let testFilter: String?

    /// The text to append to the failure of a route with too few requests.
    let adviceOnShortfalls: String

    private let state = Locked(State())

    init(testFilter: String? = nil, adviceOnShortfalls: String = "") {
        self.testFilter = testFilter
        self.adviceOnShortfalls = adviceOnShortfalls
    }

    /// Whether the test has ended.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// The server of the trait, which is `MockServer.current` until the test ends.
    var server: MockServer? { state.withLock { $0.servers.first?.server } }

    func add(_ server: MockServer) {
        state.withLock { $0.servers.append(WeakServer(server: server)) }
    }

    func add(_ tape: Tape) {
        state.withLock { $0.tapes.append(tape) }
    }

    /// Adds the failures of a server that is released before the test ends.
    func collect(
        _ failures: [TestFailure], shortfalls: [TestFailure], warnings: [TestFailure]
    ) {
        state.withLock { state in
            state.collected += failures
            state.shortfalls += shortfalls
            state.warnings += warnings
        }
    }

    /// Returns a route of another server that matches a request.
    func route(for request: RecordedRequest, besides server: MockServer) -> MockRoute? {
        let servers = state.withLock { $0.servers.compactMap(\.server) }
        return servers.lazy.filter { $0 !== server }
            .flatMap { other in
                let (routes, tapes) = other.state.withLock { ($0.routes, $0.tapes) }
                return routes + tapes.flatMap { $0.matches(for: request) }
            }
            .first { !$0.isRemoved && !$0.isForbidding && $0.pattern.matches(request) }
    }

    /// Adds the text of a failure that the test has recorded, or of a known issue.
    func addRecorded(_ text: String, isFailure: Bool = true) {
        state.withLock { state in
            state.recorded.append(text)
            if isFailure { state.hasFailed = true }
        }
    }

    /// Returns whether the test has recorded a failure that describes this one.
    func hasRecorded(_ failure: TestFailure) -> Bool {
        state.withLock { $0.recorded }.contains(where: failure.isDescribed)
    }

    /// Returns the failures of all servers at the end of the test.
    ///
    /// A test that throws an error may have skipped requests, so its routes report no shortfall. An
    /// unhandled request that the error or another failure describes is not reported again. If the
    /// test has passed, the function writes its recordings.
    func takeFailures(after error: (any Error)?) -> [TestFailure] {
        if let error { addRecorded("\(error)") }
        let (servers, collected) = state.withLock {
            ($0.servers.compactMap(\.server), $0.collected + (error == nil ? $0.shortfalls : []))
        }
        let all =
            collected + servers.flatMap { $0.takeFailures(includingShortfalls: error == nil) }
        let failures = all.filter { !hasRecorded($0) }
        let hasPassed = failures.isEmpty && state.withLock { !$0.hasFailed }
        return failures.merged + finishTapes(testHasPassed: hasPassed)
    }

    /// Writes the recordings of the test, and returns the failures to write and the warnings.
    func finishTapes(testHasPassed: Bool) -> [TestFailure] {
        let (tapes, servers, warnings) = state.withLock { state in
            state.isOver = true
            return (state.tapes, state.servers.compactMap(\.server), state.warnings)
        }
        return tapes.flatMap { $0.finish(testHasPassed: testHasPassed) } + warnings
            + servers.flatMap { $0.state.withLock { $0 }.warnings }
    }
}
