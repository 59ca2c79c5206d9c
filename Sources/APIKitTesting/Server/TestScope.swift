import APIKit
import Foundation

/// The servers of one running test.
final class TestScope: Sendable {
    @TaskLocal static var current: TestScope?

    private struct State {
        /// The server of the trait, which made it first.
        weak var server: MockServer?
        /// The states of all servers, which may be released before the test ends.
        var servers: [Locked<MockServer.State>] = []
        /// The servers of an XCTest, which its sessions use until it ends.
        var kept: [MockServer] = []
        /// The texts of the failures that the framework has reported.
        var reported: [String] = []
        /// Whether one of these failures fails the test, unlike a known issue.
        var hasFailed = false
        var isOver = false
    }

    /// The hint of a server that has outlived its test, such as one in a static property.
    static let hintWhenOver = """
        The test that first used this server has ended, so no test reports this request. Make a \
        server for each test, for example with MockServer.current in a stored property of the suite.
        """

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
    var server: MockServer? { state.withLock { $0.server } }

    func add(_ server: MockServer) {
        state.withLock { state in
            guard !state.isOver else { return }
            if state.servers.isEmpty { state.server = server }
            state.servers.append(server.state)
        }
    }

    /// Keeps a server until the test ends.
    func keep(_ server: MockServer) {
        state.withLock { $0.kept.append(server) }
    }

    /// Returns a route of another server that matches a request.
    func route(for request: RecordedRequest, besides server: MockServer) -> MockRoute? {
        state.withLock { $0.servers }.lazy.filter { $0 !== server.state }
            .map { other in other.withLock { $0 } }.filter { !$0.isReleased }
            .flatMap { other in other.routes + (other.source?.routes(matching: request) ?? []) }
            .first { !$0.isRemoved && !$0.isForbidding && $0.pattern.matches(request) }
    }

    /// Adds the text of a failure that the framework has reported, or of a known issue.
    func addReported(_ text: String, isFailure: Bool = true) {
        state.withLock { state in
            state.reported.append(text)
            if isFailure { state.hasFailed = true }
        }
    }

    /// Returns the failures of all servers at the end of a test, after an error that it has thrown.
    func takeFailures(after error: (any Error)?) -> [TestFailure] {
        if let error { addReported("\(error)") }
        return takeFailures(includingShortfalls: error == nil)
    }

    /// Returns the failures of all servers at the end of the test, and the warnings.
    ///
    /// A test that has not run to its end may have skipped requests, so its routes report no
    /// shortfall. A failure that the framework has reported is not reported again. If the test has passed,
    /// the function writes its recordings.
    func takeFailures(includingShortfalls: Bool) -> [TestFailure] {
        let state = state.withLock { state in
            defer { (state.servers, state.kept, state.isOver) = ([], [], true) }
            return state
        }
        let failures = state.servers.flatMap {
            $0.takeFailures(includingShortfalls: includingShortfalls, advice: adviceOnShortfalls)
        }
        .filter { failure in !state.reported.contains { $0.contains(failure.message) } }
        let hasPassed = includingShortfalls && failures.isEmpty && !state.hasFailed
        return failures.merged
            + state.servers.flatMap { $0.withLock { $0 }.finish(testHasPassed: hasPassed) }
    }
}
