import Foundation

/// An observer that logs one line for each call, or more detail.
///
/// It logs the line when the call succeeds, fails or is canceled:
///
/// ```
/// GET https://api.example.com/dogs?token=*** → 200, 2 attempts, 134 ms, 1,234 bytes
/// GET https://api.example.com/dogs → failed after 3 attempts, 2.0 s: the request timed out (URLError -1001)
/// GET https://api.example.com/dogs → canceled, 12 ms
/// ```
///
/// The line shows the request before the interceptors change it. If they complete the call without
/// the transport, the line contains "without a request". If they replace the received status, it
/// shows both. The size is that of the last body received. A call succeeds after its response
/// is accepted and parsed, so a body that cannot be decoded is a failure.
///
/// Create one observer for each call. The closure can call any logging library, such as swift-log:
///
/// ```swift
/// let logger = Logger(label: "api")
/// let client = APIClient(
///     baseURL: url, observers: { call in [LogObserver(call) { logger.info("\($0)") }] })
/// ```
///
/// The closure is called on any thread, in the order of the call's events, and the call waits for
/// it. The observer holds no lock while it calls the closure. Each text is one line: a space
/// replaces line breaks and control characters, so a server cannot forge a line.
///
/// Secrets are masked in URLs, headers and bodies. In the text of an error, ``Redaction/secrets``
/// applies, not the redaction of the observer. In an error that APIKit does not define, it masks
/// only the secrets of URLs.
public final class LogObserver: APIObserver {
    /// The amount of detail in the log.
    public enum Detail: Sendable {
        /// One line at the end of the call.
        case summary

        /// Also one line for each request sent and each response received, with headers.
        case headers

        /// Also the first 1,000 bytes of each body, or the size of a body that is not text.
        case bodies
    }

    private struct State {
        var attempts = 0
        var status: Int?
        var byteCount: Int?
    }

    private let call: APICall
    private let detail: Detail
    private let redaction: Redaction
    private let log: @Sendable (String) -> Void
    private let elapsed: @Sendable () -> Duration
    private let state = Locked(State())

    /// Creates the observer of a call, and starts to measure its duration.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - detail: The amount of detail in the log.
    ///   - clock: The clock that measures the duration.
    ///   - redaction: The secrets to mask.
    ///   - log: Receives each line, without a line break at the end. By default, lines go to the
    ///     standard error.
    public init(
        _ call: APICall,
        detail: Detail = .summary,
        clock: any Clock<Duration> = ContinuousClock(),
        redacting redaction: Redaction = .secrets,
        log: (@Sendable (String) -> Void)? = nil
    ) {
        self.call = call
        self.detail = detail
        self.redaction = redaction
        self.log =
            log ?? { line in
                // A failure to log must not fail the call.
                try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
            }
        elapsed = stopwatch(clock)
    }

    /// Counts the request, and logs it if the detail is `headers` or `bodies`.
    public func requestSent(_ request: URLRequest, attempt: Int) {
        state.withLock { $0.attempts = max($0.attempts, attempt) }
        guard detail != .summary else { return }
        let hasStream = request.httpBodyStream != nil
        write(
            request, "sent, attempt \(attempt)",
            headers: request.allHTTPHeaderFields ?? [:],
            body: request.httpBody.map { text(of: $0, request.value(forHTTPHeaderField:)) }
                ?? (hasStream ? "a stream" : ""))
    }

    /// Stores the status and size, and logs the response if the detail is `headers` or `bodies`.
    public func responseReceived<Body: Sendable>(_ response: APIResponse<Body>, attempt: Int) {
        let data = response.value as? Data
        state.withLock { state in
            state.status = response.statusCode
            state.byteCount = data?.count
        }
        guard detail != .summary else { return }
        write(
            call.request, "received \(response.statusCode), attempt \(attempt)",
            headers: response.http.headers,
            body: data.map { text(of: $0, response.http.value(forHTTPHeaderField:)) } ?? "")
    }

    /// Logs that the call succeeded.
    public func callSucceeded<Value: Sendable>(with response: APIResponse<Value>) {
        let state = state.withLock { $0 }
        var outcome = "\(response.statusCode)"
        if let received = state.status, received != response.statusCode {
            outcome += " (received \(received))"
        }
        outcome += describe(state.attempts, ",")
        let size = state.byteCount.map { ", \($0.byteCount)" } ?? ""
        write(call.request, "\(outcome), \(elapsed().rounded)\(size)")
    }

    /// Logs that the call failed or was canceled.
    public func callFailed(with error: any Error) {
        let attempts = describe(state.withLock { $0.attempts }, " after")
        let isCancellation = error is CancellationError
        let outcome = isCancellation ? "canceled" : "failed"
        let text = APIError.text(of: error).omitting(call.request)
        let reason = isCancellation ? "" : ": \(text.prefix(Self.limit))"
        write(call.request, "\(outcome)\(attempts), \(elapsed().rounded)\(reason)")
    }

    private func describe(_ attempts: Int, _ separator: String) -> String {
        switch attempts {
        case 0: " without a request"
        case 1: ""
        default: "\(separator) \(attempts) attempts"
        }
    }

    private func write(
        _ request: URLRequest, _ event: String, headers: [String: String] = [:], body: String = ""
    ) {
        let fields = headers.sorted { $0.key.lowercased() < $1.key.lowercased() }
            .map { " [\($0): \(redaction.text(ofHeader: $0, $1))]" }
            .joined()
        let url = request.url.map(redaction.text(of:)) ?? "no URL"
        // A URL, a header or a body may contain line breaks.
        let details = "\(event)\(fields)\(body.isEmpty ? "" : " \(body)")"
        log("\("\(request.method) \(url)".onOneLine) → \(details.onOneLine)")
    }

    /// Returns the start of a body, or an empty text if the detail does not include bodies.
    private func text(of body: Data, _ header: (String) -> String?) -> String {
        guard detail == .bodies else { return "" }
        let size = "(\(body.count.byteCount))"
        let start = body.prefixOfText(upTo: Self.limit)
        let shown = redaction.body(start, contentType: header("Content-Type"))
        guard let text = shown.utf8Text else { return size }
        return start.count < body.count ? "\(text)… \(size)" : text
    }

    /// The maximum number of bytes of a body, or of characters of an error.
    private static let limit = 1_000
}
