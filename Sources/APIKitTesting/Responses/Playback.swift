import APIKit
import Foundation

/// Plays one response over time.
struct Playback<LoadClock: Clock<Duration>>: Sendable {
    private let request: RecordedRequest
    private let clock: LoadClock
    private let start: LoadClock.Instant
    /// The longest time between two events.
    private let idleLimit: Duration?
    /// The longest time for the whole load.
    private let totalLimit: Duration?
    /// The time since the start at which the last step was due, so that steps do not drift.
    private var now: Duration

    /// Creates a playback with the timeouts that the request and its configuration set.
    ///
    /// The system applies no timeout to a mock on Linux. No source says which ones it applies on Apple
    /// platforms. The server applies them on its clock. It ignores the system's defaults of a minute and a week, so that a
    /// test can delay a response by an hour.
    init(
        of request: RecordedRequest, on clock: LoadClock, since start: LoadClock.Instant,
        in configuration: URLSessionConfiguration?
    ) {
        self.request = request
        self.clock = clock
        self.start = start
        now = start.duration(to: clock.now)
        idleLimit =
            request.urlRequest.timeoutInterval.limit(unless: 60)
            ?? configuration?.timeoutIntervalForRequest.limit(unless: 60)
        totalLimit = configuration?.timeoutIntervalForResource.limit(unless: .week)
    }

    /// The time until the load times out if no further event arrives.
    var limit: Duration? {
        let rest = totalLimit.map { max(.zero, $0 - now) }
        return [idleLimit, rest].compactMap { $0 }.min()
    }

    /// Returns the result of an operation, unless the load times out first.
    ///
    /// - Throws: The error of the operation, or `URLError.timedOut`.
    mutating func wait<Value: Sendable>(
        for operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        defer { now = start.duration(to: clock.now) }
        guard let limit else { return try await operation() }
        return try await clock.limiting(
            until: start.advanced(by: (now + limit).bounded),
            as: .limit { [request] in "Timeout of \(request)" },
            throwing: { [timedOut] in timedOut }, operation)
    }

    /// Sends the body of the request to a response, at its upload rate, and reports each piece.
    ///
    /// Without a rate, an error in place of a response occurs before the first byte.
    mutating func upload(
        to response: MockResponse = .status(200), _ report: UploadStep.Report?
    ) async throws {
        let rate = response.uploadBytesPerSecond
        if rate == nil {
            if case .failure = response.content { return }
            if report == nil { return }
        }
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
        case .stream(let wasRead, let makeChunks):
            let chunks = makeChunks()
            receive([.response(try response.head(for: request))])
            var (sent, hasChunks) = (0, false)
            while let chunk = try await wait(for: { try await chunks.reading.next() }) {
                (hasChunks, _) = (true, wasRead.withLock { $0 = true })
                let chunk = response.body(chunk, for: request)
                try await send(chunk, of: response, after: sent, to: receive)
                sent += chunk.count
            }
            try Task.checkCancellation()
            if !hasChunks, wasRead.withLock({ $0 }) {
                let text = "The stream has no chunks for \(request), because a request has read it."
                throw TestFailure("\(text) Reply with a closure: { _ in .stream(…) }", at: nil)
            }
            receive([.finished])
        case .failure(let error):
            throw error(request.url)
        case .invalid, .passthrough:
            // A mistake fails the test before, and the network's response replaces a passthrough.
            throw URLError(.badServerResponse, failing: request.url)
        case .never:
            try await wait { try await Waiter<Void>().wait() }
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
        let limit = limit ?? duration
        try await clock.sleep(
            until: start.advanced(by: (now + min(duration, limit)).bounded),
            as: .delay { [request] in "MockServer, response to \(request)" })
        if limit < duration { throw timedOut }
        now = (now + duration).bounded
    }

    private var timedOut: URLError { URLError(.timedOut, failing: request.url) }
}

/// A step of sending the body of a request.
struct UploadStep: Sendable {
    typealias Report = @Sendable (UploadStep) async -> Void

    let bytesSent: Int
    let totalBytesSent: Int
    /// The length of the body, or `NSURLSessionTransferSizeUnknown`.
    let totalBytesExpectedToSend: Int64
}
