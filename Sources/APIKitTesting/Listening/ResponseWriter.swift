import APIKit
import Foundation

/// Writes one response to a socket (RFC 9112).
struct ResponseWriter: Sendable {
    private enum Framing { case none, length, chunks, close }

    private let connection: PortConnection
    private let socket: Socket
    private let isHead: Bool
    private let takesChunks: Bool
    private(set) var closes: Bool
    /// Whether the client receives no more bytes.
    private(set) var isLost = false
    private var resets = false
    /// The response of the route, which has the names of the fields as the test has written them.
    var response = MockResponse.status(200)
    private var framing: Framing?
    /// The number of bytes that the head promises and that are not sent.
    private var missing = 0
    /// The last byte, until the response has ended.
    private var held = Data()

    /// Creates a writer for the response to a request, or to a mistake, which ends the connection.
    init(of connection: PortConnection, to request: PortRequest?, on socket: Socket) {
        (self.connection, self.socket) = (connection, socket)
        isHead = request?.method == "HEAD"
        takesChunks = request?.isHTTP11 == true
        closes =
            !takesChunks
            || FieldReader.words(of: request?.header("connection")).contains("close")
    }

    /// Writes events as one piece.
    mutating func write(_ events: [LoadingEvent]) {
        var (bytes, isFinished) = (held, false)
        for event in events {
            switch event {
            case .response(let head):
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
        send(bytes.dropLast(held.count))
    }

    private mutating func send(_ bytes: Data) {
        if !socket.send(bytes) { (closes, isLost) = (true, true) }
    }

    /// Writes a response in plain text, for a request that no route can serve.
    private mutating func write(status: Int, _ text: String) {
        let body = Data((text + "\n").utf8)
        let fields = ["Content-Type": "text/plain; charset=utf-8"]
        var bytes = head(status, fields, length: body.count)
        bytes += framed(body)
        send(bytes)
    }

    /// Ends the response with an error.
    mutating func fail(_ error: any Error) {
        switch error {
        case let mistake as PortRequest.Mistake: write(status: mistake.status, mistake.text)
        // Without a length and chunks, only a reset tells the client that bytes are missing.
        case _ where framing != nil: (resets, closes) = (framing == .close, true)
        case is CancellationError, URLError.badServerResponse, URLError.cannotParseResponse:
            closes = true
        case URLError.networkConnectionLost: (resets, closes) = (true, true)
        case is TestFailure, is UnhandledRequestError, is MockLoadingError:
            write(status: 501, "\(error)")
        default:
            fail(
                connection.refusal(
                    """
                    A connection cannot show this error: \(APIError.clause(for: error)). Reply with \
                    .never, or with .failure(.networkConnectionLost).
                    """))
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
        let options = FieldReader.words(of: fields["connection"])
        if options.contains("close") { closes = true }
        for name in options + ["connection", "keep-alive", "transfer-encoding"] {
            fields[name] = nil
        }
        // The body of a recording and of a passthrough is decoded, and so is one of another form.
        let isDecoded = response.isDecoded || response.isEncoded == false
        if isDecoded, fields.removeValue(forKey: "content-encoding") != nil {
            fields["content-length"] = nil
        }
        let stated = fields["content-length"].flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 }
        if isHead || [204, 205, 304].contains(status) {
            framing = Framing.none
            fields["content-length"] =
                switch status {
                case 204: nil
                case 205: "0"
                default: stated.map(String.init)
                }
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
        let written = (names + response.headers.keys).reduce(into: [:]) { $0[$1.lowercased()] = $1 }
        let lines = fields.sorted { $0.key < $1.key }.flatMap { key, value in
            connection.values(of: key, value).map { "\(written[key] ?? key): \($0)\r\n" }
        }
        return Data("HTTP/1.1 \(status) \r\n\(lines.joined())\r\n".utf8)
    }

    private mutating func framed(_ data: Data) -> Data {
        switch framing {
        case .length?:
            // More bytes would be the start of the next response. The connection ends after them.
            defer { missing -= data.count }
            return data.prefix(max(0, missing))
        case .close?: return data
        case .chunks? where !data.isEmpty:
            return Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8)
        default: return Data()
        }
    }
}
