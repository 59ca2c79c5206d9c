import APIKit
import Foundation

/// Fails the test that makes a request while `MockURLProtocol.requestHandler` is `nil`.
///
/// XCTest finds the running test from any thread. Swift Testing finds it only in a task of the test.
/// On Linux a session calls `canInit(with:)` in that task, but loads the request on another thread.
/// If two tests request one URL at the same time, each may fail for the request of the other.
enum MissingHandler {
    /// The tests of the requests that have not been loaded yet.
    private static let contexts = Locked<[URL: [TaskContext]]>([:])

    /// Remembers the test that makes a request, if the calling task belongs to one.
    static func remember(_ request: URLRequest) {
        guard MockURLProtocol.requestHandler == nil, TestFailure.hasCurrentTest,
            let url = request.url
        else { return }
        contexts.withLock { $0[url, default: []].append(TaskContext()) }
    }

    /// Fails the test that makes a request.
    ///
    /// - Throws: The error of the load.
    static func fail(_ url: URL) async throws {
        let error = MockLoadingError.noHandler(for: url)
        let failure = TestFailure(error.description, at: nil)
        // The last, because an earlier one may belong to a request that another protocol loads.
        if let context = contexts.withLock({ $0[url]?.popLast() }) {
            try await context.perform { failure.record() }
        } else {
            failure.record()
        }
        throw error
    }
}
