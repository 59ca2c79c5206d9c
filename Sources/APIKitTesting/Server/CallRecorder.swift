import APIKit
import Foundation

/// An observer that records the steps of calls, for tests of what a client does and reports.
///
/// ```swift
/// let recorder = CallRecorder()
/// let client = APIClient(transport: server.session, observers: { _ in [recorder] })
/// ```
///
/// Create a recorder in each test. A recorder can observe several concurrent calls, and records
/// their steps as they occur.
public final class CallRecorder: APIObserver {
    /// A step of a call, named for the method of `APIObserver` that received it.
    public enum Step: Sendable, Equatable {
        /// The call started.
        case callStarted
        /// A request was passed to the transport. The first attempt is number 1.
        case requestSent(attempt: Int)
        /// A response arrived.
        case responseReceived(status: Int, attempt: Int)
        /// The response was accepted and parsed.
        case callSucceeded
        /// The call failed or was canceled.
        case callFailed
    }

    private struct State {
        var steps: [Step] = []
        var requests: [URLRequest] = []
        var values: [any Sendable] = []
        var errors: [any Error] = []
        var endedCount: Int { values.count + errors.count }
    }

    private let state = Locked(State())
    private let ends = WatchedCount()

    /// Creates a recorder without steps.
    public init() {}

    /// The steps so far, in order.
    public var steps: [Step] { state.withLock { $0.steps } }

    /// The requests of the steps ``Step/requestSent(attempt:)``, with the changes of interceptors.
    public var requests: [URLRequest] { state.withLock { $0.requests } }

    /// The values of the steps ``Step/callSucceeded``.
    public var values: [any Sendable] { state.withLock { $0.values } }

    /// The errors of the steps ``Step/callFailed``.
    ///
    /// The error of a canceled call is `CancellationError`.
    public var errors: [any Error] { state.withLock { $0.errors } }

    /// Waits until calls have ended, for code that starts a call and does not return its result.
    ///
    /// - Parameters:
    ///   - count: The number of ended calls since the recorder was created.
    ///   - limit: The longest wait, in real time.
    ///   - fileID: The file of the error.
    ///   - filePath: The path of that file.
    ///   - line: The line of the error.
    ///   - column: The column of the error.
    /// - Returns: The steps so far.
    /// - Throws: A ``TestFailure`` after the limit, or `CancellationError`.
    @discardableResult
    public func waitForEnd(
        ofCalls count: Int = 1,
        within limit: Duration = .seconds(60),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line,
        column: Int = #column
    ) async throws -> [Step] {
        if await ends.reaches(count, within: limit) { return steps }
        try Task.checkCancellation()
        let state = state.withLock { $0 }
        let ended = state.endedCount == 1 ? "1 call has" : "\(state.endedCount) calls have"
        let list = LimitedList(state.steps) { "\($0)" }
        throw TestFailure(
            "\(ended) ended within \(limit), but the test waits for \(count). The recorded steps are:"
                + (state.steps.isEmpty
                    ? " none. Pass the recorder to the client, in observers: { _ in [recorder] }"
                    : list.lines(noun: "step")),
            at: SourceCodeLocation(fileID, filePath, line, column))
    }

    /// Records the step.
    public func callStarted() { record(.callStarted) }

    /// Records the step and the request.
    public func requestSent(_ request: URLRequest, attempt: Int) {
        record(.requestSent(attempt: attempt)) { $0.requests.append(request) }
    }

    /// Records the step.
    public func responseReceived<Body: Sendable>(_ response: APIResponse<Body>, attempt: Int) {
        record(.responseReceived(status: response.statusCode, attempt: attempt))
    }

    /// Records the step and the value.
    public func callSucceeded<Value: Sendable>(with response: APIResponse<Value>) {
        record(.callSucceeded) { $0.values.append(response.value) }
    }

    /// Records the step and the error.
    public func callFailed(with error: any Error) {
        record(.callFailed) { $0.errors.append(error) }
    }

    private func record(_ step: Step, _ change: (inout State) -> Void = { _ in }) {
        let waiters = state.withLock { state in
            state.steps.append(step)
            change(&state)
            return ends.update(state.endedCount)
        }
        for waiter in waiters { waiter.answer(.success(())) }
    }
}
