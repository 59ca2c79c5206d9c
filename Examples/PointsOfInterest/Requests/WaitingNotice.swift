import APIKit
import Foundation

/// An interceptor that writes a line if a call takes longer than two seconds.
struct WaitingNotice: APIInterceptor {
    let delay = Duration.seconds(2)
    let deadline: Duration
    let clock: any Clock<Duration>
    let write: @Sendable (String) -> Void

    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        // The end of the scope cancels this task and waits for it, so no line follows the result.
        async let _ = writeAfterDelay(host: call.request.url?.host ?? "the server")
        return try await next(call)
    }

    private func writeAfterDelay(host: String) async throws {
        try await clock.sleep(for: delay)
        write("Waiting for \(host) (deadline: \(deadline.components.seconds) s).")
    }
}
