import Foundation

/// An observer that logs one line for each call, or more detail.
///
/// It logs the line when the call succeeds, fails or is canceled:
///
/// ```text
/// GET https://api.example.com/dogs?token=*** → 200, 2 attempts, 134 ms, 1,234 bytes
/// GET https://api.example.com/dogs → failed after 3 attempts, 2.0 s: the request timed out (URLError -1001)
/// GET https://api.example.com/dogs → canceled, 12 ms
/// ```
///
/// The line shows the request before the interceptors change it. If they complete the call without
/// the transport, the line contains "without a request". If they replace the received status, it
/// shows both. The size belongs to the last body received. A call succeeds after its response
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
/// The closure receives an ``Entry``: the fields of the line, with the line as its description.
///
/// The closure is called on any thread, in the order of the call's events, and the call waits for
/// it. The observer holds no lock while it calls the closure. Each text is one line: a space
/// replaces line breaks and control characters, so a server cannot forge a line.
///
/// Secrets are masked in URLs, header fields and bodies, and in the text of an error, to which
/// ``Redaction/secrets`` applies too. An error that APIKit does not define is plain text: values with
/// the name of a secret are masked, and secrets such as the keys of services.
public final class LogObserver: APIObserver {
    /// The amount of detail in the log.
    public enum Detail: Sendable {
        /// One line at the end of the call.
        case summary

        /// Also one line for each request sent and each response received, with its header fields.
        case headers

        /// Also the first 1,000 bytes of each body that is JSON, a form or another text by its
        /// media type. Any other body is shown by its media type and size.
        case bodies
    }

    /// What the transport has received.
    struct State {
        var attempts = 0
        var status: Int?
        var byteCount: Int?
    }

    private let call: APICall
    private let detail: Detail
    private let redaction: Redaction
    private let log: @Sendable (Entry) -> Void
    private let elapsed: @Sendable () -> Duration
    private let state = Locked(State())

    /// Creates the observer of a call, and starts to measure its duration.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - detail: The amount of detail in the log.
    ///   - clock: The clock that measures the duration.
    ///   - redaction: The secrets to mask.
    ///   - log: Receives each line, without a line break at the end, with its fields. By default,
    ///     lines go to the standard error.
    public init(
        _ call: APICall,
        detail: Detail = .summary,
        clock: any Clock<Duration> = ContinuousClock(),
        redacting redaction: Redaction = .secrets,
        log: (@Sendable (Entry) -> Void)? = nil
    ) {
        self.call = call
        self.detail = detail
        self.redaction = redaction
        self.log =
            log ?? { entry in
                // A failure to log must not fail the call.
                try? FileHandle.standardError.write(contentsOf: Data("\(entry)\n".utf8))
            }
        elapsed = stopwatch(clock)
    }

    /// Counts the request, and logs it if the detail is `headers` or `bodies`.
    public func requestSent(_ request: URLRequest, attempt: Int) {
        state.withLock { $0.attempts = max($0.attempts, attempt) }
        guard detail != .summary else { return }
        let body = shown(
            request.httpBody, contentType: request.value(forHTTPHeaderField: "Content-Type"))
        write(
            request, "sent, attempt \(attempt)", headers: request.allHTTPHeaderFields ?? [:],
            body: request.httpBodyStream == nil ? body : "a stream")
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
            body: shown(data, contentType: response.http.value(forHTTPHeaderField: "Content-Type")))
    }

    /// Logs that the call succeeded.
    public func callSucceeded<Value: Sendable>(with response: APIResponse<Value>) {
        finish(.success(response.statusCode))
    }

    /// Logs that the call failed or was canceled.
    public func callFailed(with error: any Error) {
        finish(.failure(error))
    }

    private func finish(_ result: Result<Int, any Error>) {
        log(
            Entry(
                of: result, call.request.method, shownURL(of: call.request), elapsed(),
                state.withLock { $0 }, redacting: redaction))
    }

    private func write(
        _ request: URLRequest, _ event: String, headers: [String: String], body: String
    ) {
        let fields = headers.sorted { $0.key.lowercased() < $1.key.lowercased() }
            .map { " [\($0): \(redaction.masked(header: $0, $1))]" }
            .joined()
        // A URL, a header or a body may contain line breaks.
        let details = "\(event)\(fields)\(body.isEmpty ? "" : " \(body)")"
        log(
            Entry(
                of: details.onOneLine, request.method, shownURL(of: request), elapsed(),
                state.withLock { $0 }))
    }

    private func shownURL(of request: URLRequest) -> String {
        request.url.map(redaction.masked(_:))?.onOneLine ?? "no URL"
    }

    /// Returns the start of a text, or the media type and the size of another body.
    ///
    /// The result is empty if the detail does not include bodies.
    private func shown(_ body: Data?, contentType: String?) -> String {
        guard let body, !body.isEmpty, detail == .bodies else { return "" }
        let size = body.count.byteCount
        if let text = redaction.excerpt(ofBody: body, contentType: contentType, upTo: Self.limit) {
            return body.count > Self.limit ? "\(text)… (\(size))" : text
        }
        let type = contentType.map { $0.prefix { !"; ".contains($0) } + ", " } ?? ""
        return "(\(type)\(size))"
    }

    /// The maximum number of bytes of a body, or of characters of an error.
    static let limit = 1_000
}
