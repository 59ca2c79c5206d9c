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
            while try Socket.draining({
                serve(try reader.next(), of: client, isLast: !reader.hasBytes)
            }) {}
        } catch {
            var writer = ResponseWriter(of: self, to: nil, on: client.socket)
            writer.fail(error)
            // Closing a connection with unread bytes resets it, and the client loses the response.
            client.socket.shutdown(Int32(SHUT_WR))
            client.socket.waitForEnd()
        }
    }

    /// Returns whether the connection stays open.
    private func serve(_ request: PortRequest, of client: PortClient, isLast: Bool) -> Bool {
        let writer = Locked(ResponseWriter(of: self, to: request, on: client.socket))
        switch service(of: request, writer) {
        case .events(let events):
            return writer.withLock { writer in
                writer.write(events)
                return writer.end()
            }
        case .exchange(let exchange):
            return play(exchange, to: writer, of: client, isLast: isLast)
        }
    }

    /// Passes a request to the server, and releases the server before the reply is played.
    private func service(of request: PortRequest, _ writer: Locked<ResponseWriter>) -> Service {
        guard let server else { return .events([.failed(MockLoadingError.serverIsGone(url))]) }
        guard request.method != "CONNECT", !request.isUpgrade, let recorded = recorded(request)
        else {
            let target = "\(request.method) \(request.target)".shortened(to: 200)
            let text = "The port received \(target), which is a tunnel, an upgrade or no path."
            return .events([.failed(refusal(text))])
        }
        let connection = Exchange.Connection(
            configuration: nil, network: .withoutCookies, redirect: { _, _ in nil }, report: nil,
            isSystem: false,
            check: { response in
                try check(response)
                writer.withLock { $0.response = response }
            })
        return server.serve(recorded, on: connection)
    }

    private func check(_ response: MockResponse) throws {
        if response.uploadBytesPerSecond != nil {
            throw refusal("The client of a port sends at its own rate. Remove the upload rate.")
        }
        if case .passthrough = response.content, origin == nil {
            throw refusal("A passthrough would reach the port again. Pass an origin: listen(as:).")
        }
    }

    /// Fails the test, and returns the failure for the client.
    func refusal(_ text: String) -> TestFailure {
        server?.state.refusal(text) ?? TestFailure(text, at: nil)
    }

    /// Returns the values of a header field of a response as the client of the port sees them.
    func values(of name: String, _ value: String) -> [String] {
        let values =
            name == "set-cookie"
            ? FieldReader.setCookieFields(in: value).map { $0.trimmingCharacters(in: .whitespaces) }
            : [value]
        guard let origin else { return values }
        func move(_ location: some StringProtocol) -> String {
            Self.move(String(location), from: origin, to: url.absoluteString)
        }
        return switch name {
        case "set-cookie": values.map(Self.cookie)
        case "location", "content-location", "access-control-allow-origin": [move(value)]
        case "link": [value.replacing(#/<([^>]*)/#) { "<" + move($0.1) }]
        // The port has no TLS, so a client has to ignore them or would leave the port.
        case "strict-transport-security", "alt-svc": []
        default: values
        }
    }

    /// Returns a location at another base, if it is a URL with an origin.
    private static func move(_ location: String, from origin: URL, to base: String) -> String {
        // A reference without a host is relative to the base already.
        guard URL(foreign: location)?.host != nil,
            let target = URL(foreign: location, relativeTo: origin)?.absoluteURL,
            Origin(target) == Origin(origin)
        else { return location }
        let text = target.absoluteString
        guard let scheme = text.firstRange(of: "://") else { return location }
        return base + text[scheme.upperBound...].drop { !"/?#".contains($0) }
    }

    /// Returns a cookie that a client of the port stores (RFC 6265, section 5.3): without its host, and
    /// without what only https allows.
    private static func cookie(_ field: String) -> String {
        let parts = field.split(separator: ";", omittingEmptySubsequences: false)
        let attributes = parts.dropFirst().filter { part in
            let (name, value) = part.split(at: "=")
            return switch name.trimmingCharacters(in: .whitespaces).lowercased() {
            case "domain", "secure", "partitioned": false
            case "samesite": value.trimmingCharacters(in: .whitespaces).lowercased() != "none"
            default: true
            }
        }
        return (parts.prefix(1) + attributes).joined(separator: ";")
    }

    /// Plays a reply that takes time, until the client resets the connection.
    private func play(
        _ exchange: Exchange, to writer: Locked<ResponseWriter>, of client: PortClient, isLast: Bool
    ) -> Bool {
        let isOver = DispatchSemaphore(value: 0)
        // Writing waits for the client, so it must not occupy a thread of the tasks.
        let queue = DispatchQueue(label: "APIKit.ListeningPort")
        let task = Task {
            await exchange.play { events in
                queue.async {
                    let isLost = writer.withLock { writer in
                        writer.write(events)
                        return writer.isLost
                    }
                    if isLost { client.cancel() }
                }
            }
            queue.async {
                _ = writer.withLock { $0.end() }
                isOver.signal()
            }
        }
        // The next request of the client ends the wait too, and so does the end of a connection that
        // closes after the response. A client that has sent all can still receive (RFC 9112, section 9.6).
        client.start(task)
        if isLast, client.socket.waitForReset() { task.cancel() }
        isOver.wait()
        return writer.withLock { !$0.closes }
    }

    /// Returns a request as a server of a session receives it, or `nil` if its target is no path.
    private func recorded(_ request: PortRequest) -> RecordedRequest? {
        var target = request.target
        // A client that uses the port as a proxy sends a whole URL (RFC 9112, section 3.2.2).
        if let scheme = target.firstRange(of: "://"), !"/?".contains(target.prefix(1)) {
            target = String(target[scheme.upperBound...].drop { !"/?".contains($0) })
            if !target.hasPrefix("/") { target = "/" + target }
        }
        guard target.hasPrefix("/"), let url = URL(foreign: base + target) else { return nil }
        var made = URLRequest(url: url)
        made.httpMethod = request.method
        made.httpShouldHandleCookies = false
        // The fields of the connection (RFC 9110, section 7.6.1).
        let dropped =
            FieldReader.words(of: request.header("connection")) + [
                "host", "connection", "expect", "keep-alive", "te", "upgrade", "http2-settings",
                "proxy-authorization", "proxy-connection",
            ]
        for (name, value) in request.headers where !dropped.contains(name.lowercased()) {
            // A page of the port has the origin too.
            let isPage = ["origin", "referer"].contains(name.lowercased())
            made.setValue(
                isPage ? Self.move(value, from: self.url, to: base) : value,
                forHTTPHeaderField: name)
        }
        return RecordedRequest(
            made, url: url, body: request.body, method: HTTPMethod(rawValue: request.method))
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
