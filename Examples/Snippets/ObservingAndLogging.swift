import APIKit
import Foundation

// The function that the snippets use of the `Logger` of swift-log.
nonisolated struct Logger: Sendable {
    func info(_ message: String) { print(message) }
}

func clientWithLog(url: URL) -> APIClient {
    // snippet.log
    let client = APIClient(
        baseURL: url, observers: { call in [LogObserver(call)] })
    // snippet.end
    return client
}

func clientWithDetail(url: URL, logger: Logger) -> APIClient {
    // snippet.detail
    let client = APIClient(
        baseURL: url,
        observers: { call in
            [
                LogObserver(
                    call, detail: .headers,
                    redacting: .secrets.adding(
                        headers: ["X-Tenant"], values: ["email"]),
                    log: { logger.info("\($0)") })
            ]
        })
    // snippet.end
    return client
}

// snippet.observer
nonisolated protocol Metrics: Sendable {
    func count(_ event: String, of name: String)
    func record(_ duration: Duration, of name: String)
}

struct CallMetrics: APIObserver {
    let name: String
    let metrics: any Metrics
    let start = ContinuousClock.now

    func requestSent(_ request: URLRequest, attempt: Int) {
        if attempt > 1 { metrics.count("retry", of: name) }
    }

    func callSucceeded<Value>(with response: APIResponse<Value>) {
        metrics.record(start.duration(to: .now), of: name)
    }

    func callFailed(with error: any Error) {
        metrics.count(
            error is CancellationError ? "cancellation" : "failure", of: name)
    }
}
// snippet.end
