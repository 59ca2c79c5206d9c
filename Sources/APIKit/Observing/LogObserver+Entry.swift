import Foundation

extension LogObserver {
    /// The fields of a call's line in the log, with secrets masked.
    ///
    /// They suit the metadata of swift-log, `OSLog` or metrics.
    public struct Entry: Sendable, CustomStringConvertible {
        /// The method of the request.
        public let method: HTTPMethod

        /// The URL before the interceptors change it, with secrets masked, on one line.
        public let url: String

        /// The number of requests that the call passed to its transport.
        public let attempts: Int

        /// The time from the creation of the observer to the end of the call.
        public let duration: Duration

        /// The status of the response, or of the last response received if the call failed.
        ///
        /// It is `nil` if no response arrived.
        public let status: Int?

        /// The size in bytes of the last body received, unless it is a stream or a download.
        public let byteCount: Int?

        /// The end of the call.
        public let outcome: Outcome

        /// The line that the observer logs by default.
        public let description: String

        /// The end of a call.
        public enum Outcome: Sendable, Equatable {
            /// The response was accepted and parsed.
            case success
            /// The call failed. The kind is `nil` for an error that APIKit does not define,
            /// such as the error of ``APIRequest/parseError(_:)``.
            case failure(APIError.Kind?, reason: String)
            /// The call was canceled.
            case cancellation
        }
    }
}

extension LogObserver.Entry {
    init(
        of method: HTTPMethod, _ url: String, _ duration: Duration,
        _ received: LogObserver.State, _ result: Result<Int, any Error>
    ) {
        self.method = method
        self.url = url
        self.duration = duration
        attempts = received.attempts
        byteCount = received.byteCount
        status = (try? result.get()) ?? received.status
        func count(_ separator: String) -> String {
            switch received.attempts {
            case 0: " without a request"
            case 1: ""
            default: "\(separator) \(received.attempts) attempts"
            }
        }
        let event: String
        switch result {
        case .success(let status):
            outcome = .success
            let other = received.status.flatMap { $0 == status ? nil : " (received \($0))" } ?? ""
            let size = byteCount.map { ", \($0.byteCount)" } ?? ""
            event = "\(status)\(other)\(count(",")), \(duration.rounded)\(size)"
        case .failure(let error) where error is CancellationError:
            outcome = .cancellation
            event = "canceled\(count(" after")), \(duration.rounded)"
        case .failure(let error):
            let text = APIError.text(of: error)
            let reason = String(text.prefix(LogObserver.limit)).onOneLine
            outcome = .failure((error as? APIError)?.kind, reason: reason)
            event = "failed\(count(" after")), \(duration.rounded): \(reason)"
        }
        description = "\("\(method) \(url)".onOneLine) → \(event)"
    }
}

extension Duration {
    /// The duration in milliseconds, or in seconds with one decimal place from one second up.
    var rounded: String {
        // Clamped to some 30,000 years, because the conversion of a larger number traps.
        let milliseconds = Int64(max(-1e15, min((self / .milliseconds(1)).rounded(), 1e15)))
        guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
        let tenths = (milliseconds + 50) / 100
        return "\((tenths / 10).grouped).\(tenths % 10) s"
    }
}
