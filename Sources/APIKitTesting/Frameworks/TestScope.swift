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
        /// What was wrong with servers that did not live to the end of the test.
        var collected: [TestFailure] = []
    }

    private let state = Locked(State())

    private let own: WeakServer

    /// The server that the test finds as `MockServer.current`, until it ends.
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

    /// Returns what was wrong with the servers of the test, once it has ended.
    ///
    /// After an error, whatever the test did not come to do is no mistake of its own, and an
    /// unhandled request that the error tells of has been told.
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
