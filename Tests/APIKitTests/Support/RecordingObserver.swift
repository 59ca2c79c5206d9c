import APIKit
import Foundation

/// An observer that writes down what it is told.
struct RecordingObserver: APIObserver {
    let events: Locked<[String]>

    func callStarted() {
        record("started")
    }

    func requestSent(_ request: URLRequest, attempt: Int) {
        record("sent \(attempt): \(request.url?.path ?? "")")
    }

    func responseReceived<Body: Sendable>(_ response: APIResponse<Body>, attempt: Int) {
        record("received \(attempt): \(response.statusCode)")
    }

    func callSucceeded<Value: Sendable>(with response: APIResponse<Value>) {
        record("succeeded: \(response.value)")
    }

    func callFailed(with error: any Error) {
        record("failed: \(error)")
    }

    private func record(_ event: String) {
        events.withLock { $0.append(event) }
    }
}
