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
    /// Creates the entry of a request that was sent, or of a response that was received.
    init(
        of event: String, _ method: HTTPMethod, _ url: String, _ duration: Duration,
        _ received: LogObserver.State
    ) {
        (self.method, self.url, self.duration) = (method, url, duration)
        (attempts, status, byteCount) = (received.attempts, received.status, received.byteCount)
        (isLast, error, reason) = (false, nil, nil)
        description = Self.line(method, url, event)
    }

    /// Creates the entry of the end of a call.
    init(
        of result: Result<Int, any Error>, _ method: HTTPMethod, _ url: String,
        _ duration: Duration, _ received: LogObserver.State, redacting redaction: Redaction
    ) {
        (self.method, self.url, self.duration) = (method, url, duration)
        (attempts, byteCount, isLast) = (received.attempts, received.byteCount, true)
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
            (self.status, error, reason) = (status, nil, nil)
            let other = received.status.flatMap { $0 == status ? nil : " (received \($0))" } ?? ""
            let size = byteCount.map { ", \($0.byteCount)" } ?? ""
            event = "\(status)\(other)\(count(",")), \(duration.rounded)\(size)"
        case .failure(let error as CancellationError):
            (status, self.error, reason) = (received.status, error, "canceled")
            event = "canceled\(count(" after")), \(duration.rounded)"
        case .failure(let error):
            let text = redaction.masked(APIError.clause(for: error))
            let reason = String(text.prefix(LogObserver.limit)).onOneLine
            (status, self.error, self.reason) = (received.status, error, reason)
            event = "failed\(count(" after")), \(duration.rounded): \(reason)"
        }
        description = Self.line(method, url, event)
    }

    private static func line(_ method: HTTPMethod, _ url: String, _ event: String) -> String {
        "\("\(method)".onOneLine) \(url) → \(event)"
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
