import Foundation

extension LogObserver {
    /// A line of the log, and its fields, with secrets masked.
    ///
    /// The fields suit the metadata of swift-log, `OSLog` or metrics.
    public struct Entry: Sendable, CustomStringConvertible {
        /// The method of the request.
        public let method: HTTPMethod

        /// The URL with secrets masked, on one line.
        ///
        /// At the end of the call, it is the URL before the interceptors change it.
        public let url: String

        /// The number of requests that the call has passed to its transport.
        public let attempts: Int

        /// The time since the creation of the observer.
        public let duration: Duration

        /// The status of the response, or of the last response received if the call failed.
        ///
        /// It is `nil` if no response arrived.
        public let status: Int?

        /// The size in bytes of the last body received, unless it is a stream or a download.
        public let byteCount: Int?

        /// Whether the call has ended.
        ///
        /// Only with the detail `headers` or `bodies`, there are entries before the last one.
        public let isLast: Bool

        /// The error if the call failed, a `CancellationError` if it was canceled, or `nil`.
        ///
        /// An error of your own can contain secrets. ``reason`` does not.
        public let error: (any Error)?

        /// The text of the error with secrets masked, on one line, or `nil`.
        public let reason: String?

        /// The line.
        public let description: String
    }
}

extension LogObserver.Entry {
    /// Creates the entry of an event, and at the end of the call also of its result.
    init(
        of event: String, _ method: HTTPMethod, _ url: String, _ duration: Duration,
        _ received: LogObserver.State, endedBy result: Result<Int, any Error>? = nil
    ) {
        (self.method, self.url, self.duration) = (method, url, duration)
        (attempts, byteCount, isLast) = (received.attempts, received.byteCount, result != nil)
        switch result {
        case .success(let status): (self.status, error) = (status, nil)
        case .failure(let error): (status, self.error) = (received.status, error)
        case nil: (status, error) = (received.status, nil)
        }
        reason = error.map(LogObserver.reason)
        description = "\("\(method)".onOneLine) \(url) → \(event)"
    }
}

extension LogObserver {
    /// Returns the text of an error on one line, with secrets masked.
    fileprivate static func reason(of error: any Error) -> String {
        error is CancellationError
            ? "canceled" : String(APIError.text(of: error).prefix(limit)).onOneLine
    }
}

extension LogObserver.State {
    /// Returns the event at the end of the call.
    func event(_ result: Result<Int, any Error>, after duration: Duration) -> String {
        func count(_ separator: String) -> String {
            switch attempts {
            case 0: " without a request"
            case 1: ""
            default: "\(separator) \(attempts) attempts"
            }
        }
        switch result {
        case .success(let result):
            let other = status.flatMap { $0 == result ? nil : " (received \($0))" } ?? ""
            let size = byteCount.map { ", \($0.byteCount)" } ?? ""
            return "\(result)\(other)\(count(",")), \(duration.rounded)\(size)"
        case .failure(let error as CancellationError):
            return "\(LogObserver.reason(of: error))\(count(" after")), \(duration.rounded)"
        case .failure(let error):
            let reason = LogObserver.reason(of: error)
            return "failed\(count(" after")), \(duration.rounded): \(reason)"
        }
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
