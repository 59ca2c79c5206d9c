import APIKit
import Foundation

/// The response to one request of the journal, as far as the client has received it.
///
/// The hot path stores only the reply. Its response is made when an archive needs it.
struct PlayedResponse: Sendable {
    /// The number of bytes that are kept of a streamed body without a tape, so that long streams need
    /// no memory.
    static let bodyLimit = 1 << 24

    private let startedAt = Date()
    private let reply: Reply
    /// The tape that records the response.
    let tape: Tape?
    private var head: (response: HTTPURLResponse, arrivedAt: Date)?
    private var body = Data()
    private var missingBytes = 0
    private var isFinished = false
    private var error: (any Error)?

    init(of reply: Reply, recordedBy tape: Tape? = nil) {
        self.reply = reply
        self.tape = tape
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
                let kept = tape == nil ? data.prefix(Self.bodyLimit - body.count) : data
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
        HAREntry.Response(
            status: head?.response.statusCode ?? 0,
            headers: (head?.response.headers ?? [:])
                .map { HAREntry.Field(name: $0.key, value: $0.value) }
                .sorted { $0.name.lowercased() < $1.name.lowercased() },
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

/// Adds the responses of one load, which may be redirected, to the journal and the tapes of its
/// server.
struct LoadLog: Sendable {
    private weak var server: MockServer?
    // The tapes record a load to its end, even if the server is released.
    private let state: Locked<MockServer.State>
    /// The numbers of the requests.
    private let numbers: Locked<[Int]>

    init(of server: MockServer, from request: RecordedRequest) {
        self.server = server
        state = server.state
        numbers = Locked([request.number])
    }

    /// Returns the reply to the request after a redirect, and records the request.
    func reply(to request: inout RecordedRequest, isFromNetwork: Bool) -> Reply {
        guard let server else {
            return .response(.failure(MockLoadingError.serverIsGone(request.url)))
        }
        let reply = server.reply(to: &request, isFromNetwork: isFromNetwork)
        numbers.withLock { [number = request.number] in $0.append(number) }
        return reply
    }

    /// Adds a redirect as the response to the current request.
    func addRedirect(_ response: HTTPURLResponse) {
        guard let number = numbers.withLock(\.last) else { return }
        state.withLock { $0.played[number].add([.response(response), .finished]) }
    }

    /// Adds events of the last response, and passes complete exchanges to the tapes.
    ///
    /// Call it before the client receives the events, because the test may end with the last one.
    func add(_ events: [LoadingEvent]) {
        let numbers = numbers.withLock { $0 }
        let recorded = state.withLock { state -> [(RecordedRequest, PlayedResponse)] in
            if let number = numbers.last { state.played[number].add(events) }
            // Not before the end, because a load that fails has no entry for its redirects either.
            guard case .finished? = events.last else { return [] }
            return numbers.filter { state.played[$0].tape != nil }
                .map { (state.journal[$0], state.played[$0]) }
        }
        for (request, response) in recorded { response.tape?.add(response, to: request) }
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
