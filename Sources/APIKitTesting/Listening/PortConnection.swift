import APIKit
import Foundation

/// Serves the requests of a connection, one after another.
struct PortConnection: Sendable {
    private weak var server: MockServer?
    private let url: URL
    private let origin: URL?
    /// The start of the URLs of requests.
    private let base: String

    init(server: MockServer, url: URL, origin: URL?) {
        (self.server, self.url, self.origin) = (server, url, origin)
        base = String(
            (URL(string: "/", relativeTo: origin ?? url)?.absoluteString ?? "").dropLast())
    }

    /// Serves requests until the connection ends.
    func serve(_ client: PortClient) {
        var reader = PortRequest.Reader(client.socket)
        do {
            while let request = try reader.next() {
                guard serve(request, of: client, isLast: !reader.hasBytes) else { return }
            }
        } catch {
            var writer = ResponseWriter(on: client.socket, closes: true)
            writer.write(status: error.status, error.text)
            reader.skip()
        }
    }

    /// Returns whether the connection stays open.
    private func serve(_ request: PortRequest, of client: PortClient, isLast: Bool) -> Bool {
        let connection = request.header("connection")?.lowercased() ?? ""
        var writer = ResponseWriter(
            on: client.socket, isHead: request.method == "HEAD", takesChunks: request.isHTTP11,
            closes: !request.isHTTP11 || connection.contains("close"))
        writer.location = { [url, origin] location in
            guard let origin, let target = URL(string: location), Origin(target) == Origin(origin),
                let path = location.firstRange(of: "://").map({
                    location[$0.upperBound...].drop { !"/?#".contains($0) }
                })
            else { return location }
            return url.absoluteString + path
        }
        writer.report = { [weak server] text in
            server?.state.withLock { $0.add(TestFailure(text, at: nil)) }
        }
        let shared = Locked(writer)
        switch service(of: request, shared) {
        case .events(let events):
            return shared.withLock { writer in
                writer.write(events)
                return writer.end()
            }
        case .exchange(let exchange):
            return play(exchange, to: shared, of: client, isLast: isLast)
        }
    }

    /// Passes a request to the server, and releases the server before the reply is played.
    private func service(of request: PortRequest, _ writer: Locked<ResponseWriter>) -> Service {
        guard let server else { return .events([.failed(MockLoadingError.serverIsGone(url))]) }
        let upgrade = request.header("upgrade")?.lowercased()
        guard request.method != "CONNECT", [nil, "h2c"].contains(upgrade),
            let recorded = recorded(request)
        else {
            let target = "\(request.method) \(request.target)".shortened(to: 200)
            return .events([
                .failed(
                    PortRefusal(
                        "The port received \(target), which is a tunnel, an upgrade or no path."))
            ])
        }
        let connection = Exchange.Connection(
            configuration: nil, network: .withoutCookies, redirect: { _, _ in nil }, report: nil,
            check: { [hasOrigin = origin != nil] response in
                try response.checkPort(hasOrigin: hasOrigin)
                writer.withLock { $0.response = response }
            })
        return server.serve(recorded, on: connection)
    }

    /// Plays a reply that takes time, until the client goes.
    private func play(
        _ exchange: Exchange, to writer: Locked<ResponseWriter>, of client: PortClient, isLast: Bool
    ) -> Bool {
        let isOver = DispatchSemaphore(value: 0)
        // Writing waits for the client, so it must not occupy a thread of the tasks.
        let queue = DispatchQueue(label: "APIKit.ListeningPort")
        let task = Task {
            let end = await Result.of {
                try await exchange.play { events in
                    queue.async { writer.withLock { $0.write(events) } }
                }
            }
            queue.async {
                writer.withLock { writer in
                    if case .failure(let error) = end { writer.fail(error) }
                    _ = writer.end()
                }
                isOver.signal()
            }
        }
        // The next request of the client ends the wait too, and so does the end of a connection that
        // closes after the response.
        client.start(task)
        if isLast, !client.socket.waitForBytes() { task.cancel() }
        isOver.wait()
        return writer.withLock { !$0.closes }
    }

    /// Returns a request as a server of a session receives it, or `nil` if its target is no path.
    private func recorded(_ request: PortRequest) -> RecordedRequest? {
        var target = request.target[...]
        // A client that uses the port as a proxy sends a whole URL (RFC 9112, section 3.2.2).
        if let scheme = target.firstRange(of: "://"), !target.hasPrefix("/") {
            target = target[scheme.upperBound...].drop { $0 != "/" }
        }
        guard target.hasPrefix("/"),
            let url = URL(string: base + target), url.absoluteString == base + target
        else { return nil }
        var made = URLRequest(url: url)
        made.httpMethod = request.method
        made.httpShouldHandleCookies = false
        for (name, value) in request.headers
        where ![
            "host", "connection", "expect", "keep-alive", "te", "upgrade", "http2-settings",
        ].contains(name.lowercased()) {
            made.setValue(value, forHTTPHeaderField: name)
        }
        return RecordedRequest(
            made, url: url, body: request.body, method: HTTPMethod(rawValue: request.method))
    }
}

extension MockResponse {
    /// Refuses a response that a connection cannot show.
    fileprivate func checkPort(hasOrigin: Bool) throws {
        if uploadBytesPerSecond != nil {
            throw PortRefusal(
                "The client of a port sends its body at its own rate, so a response has no upload rate."
            )
        }
        if case .passthrough = content, !hasOrigin {
            throw PortRefusal(
                "A passthrough of a port would arrive at the port again. Pass the origin of the server: listen(as:)."
            )
        }
    }
}

/// The connection of a client, with the task that plays its response.
final class PortClient: Sendable {
    let socket: Socket
    private let state = Locked<(task: Task<Void, Never>?, isStopped: Bool)>((nil, false))

    init(_ socket: Socket) { self.socket = socket }

    /// Sets the task, and cancels it if the port has stopped before.
    fileprivate func start(_ task: Task<Void, Never>) {
        let isStopped = state.withLock { state in
            state.task = task
            return state.isStopped
        }
        if isStopped { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isStopped = true
            return state.task
        }
        task?.cancel()
    }
}

/// The reason why a port does not play a response, which fails the test.
struct PortRefusal: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Writes one response to a socket (RFC 9112).
struct ResponseWriter: Sendable {
    private enum Framing { case none, length, chunks, close }

    private let socket: Socket
    private let isHead: Bool
    private let takesChunks: Bool
    private(set) var closes: Bool
    private var resets = false
    /// The response of the route, which has the names of the fields as the test has written them.
    var response = MockResponse()
    /// Returns the location that the client sees.
    var location: @Sendable (String) -> String = { $0 }
    /// Fails the test.
    var report: @Sendable (String) -> Void = { _ in }

    private var framing: Framing?
    /// The number of bytes that the head promises and that are not sent.
    private var missing = 0
    /// The last byte, until the response has ended.
    private var held = Data()

    init(on socket: Socket, isHead: Bool = false, takesChunks: Bool = true, closes: Bool) {
        (self.socket, self.isHead, self.takesChunks, self.closes) =
            (socket, isHead, takesChunks, closes)
    }

    /// Writes events as one piece.
    mutating func write(_ events: [LoadingEvent]) {
        var (bytes, isFinished) = (held, false)
        for event in events {
            switch event {
            case .response(let head):
                guard head.statusCode >= 200 else {
                    return fail(
                        PortRefusal(
                            "A response of the status \(head.statusCode) is not the last one."))
                }
                var length: Int?
                if case .body(let body)? = events.dropFirst().first { length = body.count }
                bytes += self.head(head.statusCode, head.headers, length: length)
            case .body(let data), .chunk(let data): bytes += framed(data)
            case .finished:
                if framing == .chunks { bytes += Data("0\r\n\r\n".utf8) }
                if framing == .close || missing != 0 { closes = true }
                isFinished = true
            case .failed(let error): return fail(error)
            }
        }
        // The test may end with the last byte of a length, so it waits for the record of the end.
        let isHeld = !isFinished && !isHead && missing == 0 && ![.chunks, .close].contains(framing)
        held = bytes.suffix(isHeld ? 1 : 0)
        if !socket.send(bytes.dropLast(held.count)) { closes = true }
    }

    /// Writes a response in plain text, for a request that no route can serve.
    mutating func write(status: Int, _ text: String) {
        let body = Data((text + "\n").utf8)
        let fields = ["Content-Type": "text/plain; charset=utf-8"]
        var bytes = head(status, fields, length: body.count)
        bytes += framed(body)
        if !socket.send(bytes) { closes = true }
    }

    /// Ends the response with an error.
    mutating func fail(_ error: any Error) {
        let code = (error as? URLError)?.code
        if framing != nil || error is CancellationError {
            // Without a length and chunks, only a reset tells the client that bytes are missing.
            (resets, closes) = (framing == .close, true)
        } else if code == .networkConnectionLost {
            (resets, closes) = (true, true)
        } else if code == .badServerResponse || code == .cannotParseResponse {
            closes = true
        } else {
            var text = "\(error)"
            if !(error is UnhandledRequestError || error is TestFailure
                || error is MockLoadingError)
            {
                text =
                    (error as? PortRefusal)?.reason ?? """
                        A connection cannot show this error: \(APIError.text(of: error)). Reply with \
                        .never, or with .failure(.networkConnectionLost).
                        """
                report(text)
            }
            write(status: 501, text)
        }
    }

    /// Ends the connection if the response requires it, and returns whether it stays open.
    func end() -> Bool {
        if resets { socket.resetOnClose() }
        // A client that waits for the end must not wait for the thread of the connection. A reset
        // must be the first sign of the end, so it only wakes the thread.
        if closes { socket.shutdown(Int32(resets ? SHUT_RD : SHUT_RDWR)) }
        return !closes
    }

    private mutating func head(_ status: Int, _ headers: [String: String], length: Int?) -> Data {
        var fields = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { $1 }
        // These fields describe the connection, and not the response (RFC 9110, section 7.6.1).
        if fields["connection"]?.lowercased().contains("close") == true { closes = true }
        for name in ["connection", "keep-alive", "transfer-encoding"] { fields[name] = nil }
        // The body of a recording and of a passthrough is decoded.
        if response.isDecoded, fields.removeValue(forKey: "content-encoding") != nil {
            fields["content-length"] = nil
        }
        let stated = fields["content-length"].flatMap { Int($0) }
        if isHead || [204, 304].contains(status) {
            framing = Framing.none
            if status == 204 { fields["content-length"] = nil }
        } else if let length = stated ?? length {
            (framing, missing) = (.length, length)
            fields["content-length"] = "\(length)"
        } else if takesChunks {
            framing = .chunks
            fields["transfer-encoding"] = "chunked"
        } else {
            framing = .close
        }
        if closes || framing == .close { fields["connection"] = "close" }
        // The loading system changes the case of some names.
        let names = ["Connection", "Content-Length", "Transfer-Encoding"] + headers.keys
        let written = Dictionary((names + response.headers.keys).map { ($0.lowercased(), $0) }) {
            $1
        }
        let lines = fields.sorted { $0.key < $1.key }.flatMap { key, value in
            let values =
                switch key {
                case "set-cookie":
                    FieldReader.setCookieFields(in: value)
                        .map { $0.trimmingCharacters(in: .whitespaces) }
                case "location": [location(value)]
                default: [value]
                }
            return values.map { "\(written[key] ?? key): \($0)\r\n" }
        }
        return Data("HTTP/1.1 \(status) \r\n\(lines.joined())\r\n".utf8)
    }

    private mutating func framed(_ data: Data) -> Data {
        switch framing {
        case .length?:
            missing -= data.count
            return data
        case .close?: return data
        case .chunks? where !data.isEmpty:
            return Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8)
        default: return Data()
        }
    }
}
