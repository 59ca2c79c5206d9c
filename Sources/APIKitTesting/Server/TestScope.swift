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
    }

    private let state = Locked(State())
    private let own: WeakServer

    /// The server that is `MockServer.current` until the test ends.
    var server: MockServer? { own.server }

    init(_ server: MockServer) {
        own = WeakServer(server: server)
        add(server)
    }

    func add(_ server: MockServer) {
        state.withLock { $0.servers.append(WeakServer(server: server)) }
    }

    func collect(_ failures: [TestFailure]) {
        state.withLock { $0.collected += failures }
    }

    /// Returns the failures of all servers at the end of the test.
    ///
    /// A test that throws an error may have skipped requests, so its routes report no shortfall. An
    /// unhandled request that the error describes is not reported again.
    func takeFailures(after error: (any Error)?) -> [TestFailure] {
        let (servers, collected) = state.withLock {
            ($0.servers.compactMap(\.server), $0.collected)
        }
        let failures =
            collected + servers.flatMap { $0.takeFailures(includingShortfalls: error == nil) }
        guard let error else { return failures.merged }
        let text = "\(error)"
        return failures.filter { !text.contains($0.message) }.merged
    }
}
