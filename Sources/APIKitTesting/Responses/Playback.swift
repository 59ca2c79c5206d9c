import APIKit
import Foundation

/// The playing of one response in its own time.
struct Playback: Sendable {
    let request: RecordedRequest
    let timeline: Timeline
    let timeouts: Timeouts
    /// The time at which the last step was due: steps do not drift with the time between them.
    private var now: Duration

    init(of request: RecordedRequest, on timeline: Timeline, timeouts: Timeouts) {
        self.request = request
        self.timeline = timeline
        self.timeouts = timeouts
        now = timeline.elapsed()
    }

    /// Returns what an operation makes, unless it takes longer than the load may.
    ///
    /// - Throws: What the operation throws, or `URLError.timedOut`.
    mutating func wait<Value: Sendable>(
        for operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        defer { now = timeline.elapsed() }
        guard let limit = timeouts.limit(after: now) else { return try await operation() }
        return try await withThrowingTaskGroup(of: Value?.self) { [now, timeline] group in
            group.addTask { try await operation() }
            group.addTask {
                try await timeline.sleep(now + limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let value = first else { throw timedOut }
            return value
        }
    }

    /// Plays a response, whose delay is over.
    ///
    /// - Throws: The error that the load ends with, or `CancellationError`.
    mutating func play(
        _ response: MockResponse, to receive: @Sendable ([LoadingEvent]) -> Void
    ) async throws {
        switch response.content {
        case .body(let body):
            try await play(body, of: response, to: receive)
        case .stream(let makeChunks):
            try await play(makeChunks(), of: response, to: receive)
        case .failure(let error):
            throw error(request.url)
        case .never:
            let (never, continuation) = AsyncStream.makeStream(of: Never.self)
            try await wait { for await _ in never {} }
            continuation.finish()
            throw CancellationError()
        case .passthrough:
            let (data, head) = try await Passthrough.send(request)
            receive([.response(head), .body(data), .finished])
        case .broken:
            throw URLError(.badServerResponse, failing: request.url)
        }
    }

    private mutating func play(
        _ body: Data, of response: MockResponse, to receive: @Sendable ([LoadingEvent]) -> Void
    ) async throws {
        let head = try response.head(for: request)
        let body = response.body(body, for: request)
        guard response.bytesPerSecond != nil || response.truncation != nil else {
            return receive([.response(head), .body(body), .finished])
        }
        receive([.response(head)])
        try await send(body, of: response, sent: 0, to: receive)
        receive([.finished])
    }

    private mutating func play(
        _ chunks: ByteStream, of response: MockResponse,
        to receive: @Sendable ([LoadingEvent]) -> Void
    ) async throws {
        receive([.response(try response.head(for: request))])
        var sent = 0
        while let chunk = try await wait(for: { try await chunks.reading.next() }) {
            let chunk = response.body(chunk, for: request)
            try await send(chunk, of: response, sent: sent, to: receive)
            sent += chunk.count
        }
        try Task.checkCancellation()
        receive([.finished])
    }

    /// Sends bytes, no more than the response lets through and no faster.
    private mutating func send(
        _ data: Data, of response: MockResponse, sent: Int,
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

    /// Sleeps, but not beyond the time that the load may take.
    mutating func sleep(for duration: Duration) async throws {
        guard duration > .zero else { return }
        let limit = timeouts.limit(after: now) ?? duration
        try await timeline.sleep(now + min(duration, limit))
        if limit < duration { throw timedOut }
        now = (now + duration).bounded
    }

    private var timedOut: URLError { URLError(.timedOut, failing: request.url) }
}
