import Foundation

/// An observer that logs a line for each call, and more on request.
///
/// The line comes at the end of the call, whether it succeeded, failed or was cancelled:
///
/// ```
/// GET https://api.example.com/dogs?token=*** → 200, 2 attempts, 134 ms, 1,234 bytes
/// GET https://api.example.com/dogs → failed after 3 attempts, 2.0 s: the request timed out (URLError -1001)
/// GET https://api.example.com/dogs → cancelled, 12 ms
/// ```
///
/// It names the request as it entered the interceptors. A call that an interceptor answered by
/// itself was "without a request"; where one replaced the status that was received, both are named.
/// The bytes are those of the last body that arrived. A response counts as success once it has been
/// accepted and parsed, so a body that cannot be decoded is a failure.
///
/// Make one for each call. Any logging library fits behind the closure, such as swift-log:
///
/// ```swift
/// let logger = Logger(label: "api")
/// let client = APIClient(
///     baseURL: url, observers: { call in [LogObserver(call) { logger.info("\($0)") }] })
/// ```
///
/// The closure is called on whichever thread the call is on, in the order of the events of that
/// call, and the call waits for it. No lock is held meanwhile. What is logged is one line, whatever
/// line breaks and control characters a server put into its answer: none can forge another.
///
/// Secrets are masked in URLs, headers and bodies. In the text of an error that APIKit does not
/// define, only the secrets of URLs are masked.
public final class LogObserver: APIObserver {
    /// How much is logged.
    public enum Detail: Sendable {
        /// A line at the end of the call.
        case summary

        /// Also a line for each request that is sent and each response that arrives, with headers.
        case headers

        /// The same lines also with the start of the bodies, or their size where they are no text.
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

    /// Creates the observer of a call, whose time begins now.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - detail: How much is logged.
    ///   - clock: The clock that the duration is measured by.
    ///   - redaction: What is hidden.
    ///   - log: Gets each line, without a line break at its end. `nil` writes it to the standard
    ///     error.
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
        self.log = log ?? Self.writeToStandardError
        elapsed = stopwatch(clock)
    }

    /// Writes a line to the standard error.
    private static let writeToStandardError: @Sendable (String) -> Void = { line in
        // There is nobody to tell if the log cannot be written.
        try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Counts the request, and logs it if that much is wanted.
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

    /// Notes the response, and logs it if that much is wanted.
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

    /// Logs the line of a call that succeeded.
    public func callSucceeded<Value: Sendable>(with response: APIResponse<Value>) {
        let state = state.withLock { $0 }
        var outcome = "\(response.statusCode)"
        if let received = state.status, received != response.statusCode {
            outcome += " (received \(received))"
        }
        switch state.attempts {
        case 0: outcome += " without a request"
        case 1: break
        default: outcome += ", \(state.attempts) attempts"
        }
        let size = state.byteCount.map { ", \($0.grouped) \($0 == 1 ? "byte" : "bytes")" } ?? ""
        write(call.request, "\(outcome), \(elapsed().rounded)\(size)")
    }

    /// Logs the line of a call that failed or was cancelled.
    public func callFailed(with error: any Error) {
        let attempts = state.withLock { $0.attempts }
        let isCancellation = error is CancellationError
        var outcome = isCancellation ? "cancelled" : "failed"
        switch attempts {
        case 0: outcome += " without a request"
        case 1: break
        default: outcome += " after \(attempts) attempts"
        }
        let reason = isCancellation ? "" : ": \(APIError.text(of: error).prefix(Self.limit))"
        write(call.request, "\(outcome), \(elapsed().rounded)\(reason)")
    }

    private func write(
        _ request: URLRequest, _ event: String, headers: [String: String] = [:], body: String = ""
    ) {
        let fields = headers.sorted { $0.key.lowercased() < $1.key.lowercased() }
            .map { " [\($0): \(redaction.text(ofHeader: $0, $1))]" }
            .joined()
        let url = request.url.map(redaction.text(of:)) ?? "no URL"
        // What a server had a hand in may hold line breaks; the arrow is ours.
        let details = "\(event)\(fields)\(body.isEmpty ? "" : " \(body)")"
        log("\("\(request.method) \(url)".onOneLine) → \(details.onOneLine)")
    }

    /// The start of a body, if bodies are wanted at all.
    private func text(of body: Data, _ header: (String) -> String?) -> String {
        guard detail == .bodies else { return "" }
        let size = "(\(body.count.grouped) \(body.count == 1 ? "byte" : "bytes"))"
        let start = body.prefixOfText(upTo: Self.limit)
        let shown = redaction.body(start, contentType: header("Content-Type"))
        guard let text = shown.utf8Text else { return size }
        return start.count < body.count ? "\(text)… \(size)" : text
    }

    /// How many bytes of a body, or characters of an error, are shown.
    private static let limit = 1_000
}
