import APIKit
import Foundation

/// Plays one response over time.
struct Playback<LoadClock: Clock<Duration>>: Sendable {
    private let request: RecordedRequest
    private let clock: LoadClock
    private let start: LoadClock.Instant
    private let timeouts: Timeouts
    /// The time since the start at which the last step was due, so that steps do not drift.
    private var now: Duration

    init(
        of request: RecordedRequest, on clock: LoadClock, since start: LoadClock.Instant,
        timeouts: Timeouts
    ) {
        self.request = request
        self.clock = clock
        self.start = start
        self.timeouts = timeouts
        now = start.duration(to: clock.now)
    }

    /// Whether the load times out if nothing happens.
    var hasLimit: Bool { timeouts.limit(after: now) != nil }

    /// Returns the result of an operation, unless the load times out first.
    ///
    /// - Throws: The error of the operation, or `URLError.timedOut`.
    mutating func wait<Value: Sendable>(
        for operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        defer { now = start.duration(to: clock.now) }
        guard let limit = timeouts.limit(after: now) else { return try await operation() }
        return try await clock.limiting(
            until: start.advanced(by: (now + limit).bounded),
            as: .limit { [request] in "Timeout of \(request)" },
            throwing: { [timedOut] in timedOut }, operation)
    }

    /// Sends the body of the request to a response, at its upload rate.
    ///
    /// Without a rate, an error in place of a response occurs before the first byte.
    mutating func upload(to response: MockResponse, _ report: UploadStep.Report?) async throws {
        if let rate = response.uploadBytesPerSecond { return try await upload(at: rate, report) }
        if case .failure = response.content { return }
        try await upload(report)
    }

    /// Sends the body of the request, and reports each piece.
    mutating func upload(at rate: Int? = nil, _ report: UploadStep.Report?) async throws {
        guard rate != nil || report != nil else { return }
        // https://developer.apple.com/documentation/foundation/urlsessiontask/countofbytesexpectedtosend
        let length = request.header("Content-Length").flatMap(Int64.init)
        // Without a rate, use the size of libcurl's buffer, as URLSession on Linux does.
        let limit = rate.map { max(1, $0 / 10) } ?? 65_536
        var sent = 0
        while sent < request.body.count {
            let count = min(limit, request.body.count - sent)
            if let rate { try await sleep(for: .seconds(Double(count) / Double(rate))) }
            try Task.checkCancellation()
            sent += count
            await report?(
                UploadStep(
                    bytesSent: count, totalBytesSent: sent,
                    totalBytesExpectedToSend: length ?? NSURLSessionTransferSizeUnknown))
        }
    }

    /// Plays a response after its delay.
    ///
    /// - Throws: The error that ends the load, or `CancellationError`.
    mutating func play(
        _ response: MockResponse, to receive: @Sendable ([LoadingEvent]) -> Void
    ) async throws {
        if let events = try response.wholeEvents(for: request) { return receive(events) }
        switch response.content {
        case .body(let body), .resource(let body):
            receive([.response(try response.head(for: request))])
            try await send(response.body(body, for: request), of: response, to: receive)
            receive([.finished])
        case .stream(let makeChunks):
            let chunks = makeChunks()
            receive([.response(try response.head(for: request))])
            var sent = 0
            while let chunk = try await wait(for: { try await chunks.reading.next() }) {
                let chunk = response.body(chunk, for: request)
                try await send(chunk, of: response, after: sent, to: receive)
                sent += chunk.count
            }
            try Task.checkCancellation()
            receive([.finished])
        case .failure(let error):
            throw error(request.url)
        case .invalid, .passthrough:
            // A mistake fails the test before, and the network's response replaces a passthrough.
            throw URLError(.badServerResponse, failing: request.url)
        case .never:
            let (never, continuation) = AsyncStream.makeStream(of: Never.self)
            try await wait { for await _ in never {} }
            continuation.finish()
            throw CancellationError()
        }
    }

    /// Sends bytes at the rate of a response, up to its truncation.
    private mutating func send(
        _ data: Data, of response: MockResponse, after sent: Int = 0,
        to receive: @Sendable ([LoadingEvent]) -> Void
    ) async throws {
        let rest = response.truncation.map { max(0, $0 - sent) } ?? data.count
        var bytes = data.prefix(rest)
        if let rate = response.bytesPerSecond {
            while !bytes.isEmpty {
                let piece = bytes.prefix(max(1, rate / 10))
                try await sleep(for: .seconds(Double(piece.count) / Double(rate)))
                receive([.chunk(Data(piece))])
                bytes = bytes.dropFirst(piece.count)
            }
        } else if !bytes.isEmpty {
            receive([.chunk(Data(bytes))])
        }
        if rest < data.count { throw URLError(.networkConnectionLost, failing: request.url) }
    }

    /// Sleeps, at most until the load times out.
    mutating func sleep(for duration: Duration) async throws {
        guard duration > .zero else { return }
        let limit = timeouts.limit(after: now) ?? duration
        try await clock.sleep(
            until: start.advanced(by: (now + min(duration, limit)).bounded),
            as: .delay { [request] in "MockServer, response to \(request)" })
        if limit < duration { throw timedOut }
        now = (now + duration).bounded
    }

    private var timedOut: URLError { URLError(.timedOut, failing: request.url) }
}

extension URLError {
    /// Creates an error with the URL of the failing request.
    init(_ code: Code, failing url: URL) {
        self.init(code, userInfo: [NSURLErrorFailingURLErrorKey: url])
    }
}

/// A step of sending the body of a request.
struct UploadStep: Sendable {
    typealias Report = @Sendable (UploadStep) async -> Void

    let bytesSent: Int
    let totalBytesSent: Int
    /// The length of the body, or `NSURLSessionTransferSizeUnknown`.
    let totalBytesExpectedToSend: Int64
}

/// The timeouts that a request and its configuration set.
///
/// The system applies no timeout to a mock on Linux, and only some on Apple platforms. The server
/// applies them on its clock. It ignores the system's defaults of a minute and a week, so that a
/// test can delay a response by an hour.
struct Timeouts: Sendable {
    /// The longest time between two events.
    private var idle: Duration?
    /// The longest time for the whole load.
    private var total: Duration?

    init(of request: URLRequest, in configuration: URLSessionConfiguration?) {
        let own = [request.timeoutInterval, configuration?.timeoutIntervalForRequest]
        idle = own.compactMap { $0 }.first { Timeouts.isLimit($0, default: 60) }
            .map { .seconds($0) }
        let week: TimeInterval = 7 * 24 * 60 * 60
        total = configuration.map(\.timeoutIntervalForResource)
            .flatMap { Timeouts.isLimit($0, default: week) ? .seconds($0) : nil }
    }

    private static func isLimit(_ interval: TimeInterval, default standard: TimeInterval) -> Bool {
        // An interval above 30 years is no limit, because a larger one can overflow `Duration`.
        interval != standard && interval > 0 && interval < 1e9
    }

    /// Returns the time until the load times out if no further event arrives.
    func limit(after elapsed: Duration) -> Duration? {
        let rest = total.map { max(.zero, $0 - elapsed) }
        return [idle, rest].compactMap { $0 }.min()
    }
}
