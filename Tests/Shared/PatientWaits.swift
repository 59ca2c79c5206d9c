import APIKitTesting
import Foundation
import Testing

// A busy machine can be slow, so tests do not limit their waits to seconds. These functions replace
// those of APIKitTesting, whose default limit is a minute. The limit here is ten minutes, as for
// the suites.

extension ManualClock {
    func waitForSleepers() async { await waitForSleepers(1) }

    /// Waits until a number of tasks sleep on the clock.
    func waitForSleepers(_ count: Int) async { await waitForSleepers(count, within: .seconds(600)) }

    /// Waits until a task sleeps, and advances the clock to the earliest deadline.
    @discardableResult
    func advanceToNextDeadline() async -> Duration {
        await advanceToNextDeadline(within: .seconds(600))
    }
}

extension MockServer {
    func nextRequest() async throws -> RecordedRequest { try await nextRequest(.any) }

    /// Waits for the next request that matches a pattern.
    func nextRequest(_ pattern: RequestPattern) async throws -> RecordedRequest {
        try await nextRequest(pattern, within: .seconds(600))
    }
}

extension CallRecorder {
    func waitForEnd() async throws -> [Step] { try await waitForEnd(ofCalls: 1) }

    /// Waits until a number of calls have ended.
    @discardableResult
    func waitForEnd(ofCalls count: Int) async throws -> [Step] {
        try await waitForEnd(ofCalls: count, within: .seconds(600))
    }
}

extension DispatchSemaphore {
    /// Waits for a signal on a thread of the test.
    func waitForSignal() {
        #expect(wait(timeout: .now() + 600) == .success)
    }
}

/// Polls until a condition holds, for conditions without a signal.
///
/// A busy machine can be slow, so only the time limit of the suite ends the wait.
func until(
    _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
) async rethrows {
    for step in 0... {
        guard try !condition() else { return }
        guard !Task.isCancelled else {
            Issue.record("Waited in vain until \(what).", sourceLocation: sourceLocation)
            return
        }
        // A short wait needs no timer. A long one leaves the processors to the other tests. A canceled
        // sleep ends at once, and the next step ends the loop.
        if step < 100 { await Task.yield() } else { try? await Task.sleep(for: .milliseconds(1)) }
    }
}
