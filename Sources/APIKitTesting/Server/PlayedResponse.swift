import APIKit
import Foundation

/// The response to one request of the journal, as far as the client has received it.
///
/// The hot path stores only the reply. Its response is made when an archive needs it.
struct PlayedResponse: Sendable {
    /// The number of bytes of a streamed body that are kept, so that long streams need no memory.
    static let bodyLimit = 1 << 24

    private let startedAt = Date()
    private let reply: Reply
    private var head: (response: HTTPURLResponse, arrivedAt: Date)?
    private var body = Data()
    private var missingBytes = 0
    private var isFinished = false
    private var error: (any Error)?

    init(of reply: Reply) {
        self.reply = reply
    }

    /// Adds events of the load.
    ///
    /// - Parameters:
    ///   - events: The events.
    ///   - time: The time of a response head among them.
    mutating func add(_ events: [LoadingEvent], at time: Date = Date()) {
        for event in events {
            switch event {
            case .response(let response): head = (response, time)
            case .body(let data), .chunk(let data):
                let kept = data.prefix(Self.bodyLimit - body.count)
                body += kept
                missingBytes += data.count - kept.count
            case .finished: isFinished = true
            case .failed(let error): self.error = error
            }
        }
    }

    /// Returns the entry of the request in an archive.
    func entry(of request: RecordedRequest) -> HAREntry {
        var played = self
        if head == nil, error == nil {
            do {
                played.add(try reply.immediateEvents(for: request) ?? [], at: startedAt)
            } catch {
                played.add([.failed(error)])
            }
        }
        return HAREntry(
            startedAt: startedAt, request: HAREntry.Request(request), response: played.response,
            wait: .seconds(max(0, played.head?.arrivedAt.timeIntervalSince(startedAt) ?? 0)))
    }

    private var response: HAREntry.Response {
        let fields = head?.response.allHeaderFields ?? [:]
        return HAREntry.Response(
            status: head?.response.statusCode ?? 0,
            headers: fields.map { HAREntry.Field(name: "\($0.key)", value: "\($0.value)") }
                .sorted { ($0.name, $0.value) < ($1.name, $1.value) },
            body: body, error: problem)
    }

    /// The reason why the response is not complete, or `nil` if it is.
    private var problem: String? {
        if let error {
            return error is CancellationError ? "the load was canceled" : APIError.text(of: error)
        }
        if missingBytes > 0 { return "\(missingBytes) bytes of the body are not kept" }
        if isFinished { return nil }
        return head == nil ? "no response has arrived" : "the body is not complete"
    }
}

/// Adds the responses of one load, which may be redirected, to the journal of its server.
struct LoadLog: Sendable {
    private weak var server: MockServer?
    /// The number of the current request.
    private let number: Locked<Int>

    init(of server: MockServer, from request: RecordedRequest) {
        self.server = server
        number = Locked(request.number)
    }

    /// Returns the reply to the request after a redirect, and records the request.
    func reply(to request: inout RecordedRequest, isFromNetwork: Bool) -> Reply {
        guard let server else {
            return .response(.failure(MockLoadingError.serverIsGone(request.url)))
        }
        let reply = server.reply(to: &request, isFromNetwork: isFromNetwork)
        number.withLock { $0 = request.number }
        return reply
    }

    /// Adds events of the current request.
    func add(_ events: [LoadingEvent]) {
        let number = number.withLock { $0 }
        server?.state.withLock { $0.played[number].add(events) }
    }

    /// Runs the load, and adds the error that ends it.
    func run(_ load: () async throws -> Void) async throws {
        do {
            try await load()
        } catch {
            add([.failed(error)])
            throw error
        }
    }
}
