import APIKit
import Metrics

/// An observer that measures calls by request type, status and outcome, and counts their requests.
func measuring(_ call: APICall) -> LogObserver {
    LogObserver(call) { entry in
        let outcome =
            switch entry.error {
            case nil: "success"
            case is CancellationError: "cancellation"
            default: "failure"
            }
        let request = ("request", "\(type(of: call.apiRequest))")
        let status = ("status", entry.status.map { "\($0)" } ?? "none")
        Timer(label: "api_call", dimensions: [request, status, ("outcome", outcome)])
            .record(duration: entry.duration)
        Counter(label: "api_requests", dimensions: [request]).increment(by: entry.attempts)
    }
}
