import Foundation
import Testing

@testable import APIKit
@testable import APIKitTesting

/// A client that writes and reads the bytes of HTTP/1.1.
struct PortClientUnderTest: Sendable {
    let socket = Socket()

    init(_ url: URL) {
        var port = UInt16(url.port ?? 0)
        let descriptor = socket.descriptor
        _ = Socket.withAddress(of: &port) { connect(descriptor, $0, $1) == 0 }
    }

    /// Sends a request with a `Host`, with a line break after each line.
    func send(_ lines: String..., body: String = "") {
        let lines = lines.prefix(1) + ["Host: x"] + lines.dropFirst()
        socket.send(Data((lines.map { $0 + "\r\n" }.joined() + "\r\n" + body).utf8))
    }

    /// Reads until a text has arrived, or else to the end of the connection.
    func text(until end: String? = nil) async -> String {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Blocking.start { [socket] in
                    var data = Data()
                    while end.map({ data.range(of: Data($0.utf8)) == nil }) ?? true,
                        socket.receive(into: &data)
                    {}
                    continuation.resume(returning: String(decoding: data, as: UTF8.self))
                }
            }
        } onCancel: {
            socket.shutdown()
        }
    }

    /// Reads to the end of the connection, and returns whether a reset ended it.
    func isReset() async throws -> Bool {
        try await Blocking.run { [socket] _ in
            var bytes = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = recv(socket.descriptor, &bytes, bytes.count, 0)
                if count <= 0 { return count < 0 && errno == ECONNRESET }
            }
        }
    }

    func close() { socket.close() }
}

/// Chunks without an end, which report that their reader is canceled.
private struct Watched: AsyncSequence, Sendable {
    typealias Element = Data
    let chunks: AsyncStream<Data>
    let onEnd: @Sendable () -> Void

    struct AsyncIterator: AsyncIteratorProtocol {
        var chunks: AsyncStream<Data>.AsyncIterator
        let onEnd: @Sendable () -> Void

        mutating func next() async -> Data? {
            let chunk = await chunks.next()
            if chunk == nil { onEnd() }
            return chunk
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(chunks: chunks.makeAsyncIterator(), onEnd: onEnd)
    }
}

@Suite(.inTurn, .timeLimit(.minutes(10))) struct ListeningTests {
    private let server = MockServer()

    private func withClient(
        of server: MockServer, _ body: (PortClientUnderTest, URL) async throws -> Void
    ) async throws {
        try await server.listening { url in
            let client = PortClientUnderTest(url)
            defer { client.close() }
            try await body(client, url)
        }
    }

    /// Returns all that a client receives after a request with these lines and a `Host`.
    private func exchange(
        _ lines: String..., host: String = "Host: x\r\n", body: String = "", origin: URL? = nil
    ) async throws -> String {
        try await exchange(lines: lines, host: host, body: body, origin: origin)
    }

    private func exchange(
        lines: [String], host: String = "Host: x\r\n", body: String = "", origin: URL? = nil
    ) async throws -> String {
        try await server.listening(as: origin) { url in
            let client = PortClientUnderTest(url)
            defer { client.close() }
            let text =
                lines.map { $0 + "\r\n" }.joined() + "\(host)Connection: close\r\n\r\n" + body
            client.socket.send(Data(text.utf8))
            return await client.text()
        }
    }

    private func get(_ path: String = "/", version: String = "HTTP/1.1") async throws -> String {
        try await exchange("GET \(path) \(version)")
    }

    @Test(arguments: [
        ("/a%20b/%E9?", "/a%20b/%E9?"), ("/a?", "/a?"), ("/?q=%E9&q=+", "/?q=%E9&q=+"),
        ("http://other.example/a?b", "/a?b"), ("//a//b/", "//a//b/"), ("/a;b=c,d", "/a;b=c,d"),
        ("http://other.example?to=/y", "/?to=/y"), ("http://other.example", "/"),
        ("/?to=http://b", "/?to=http://b"),
        // As browsers, axios and curl write them.
        ("/x?ids[]=1&q=a|b^`", "/x?ids%5B%5D=1&q=a%7Cb%5E%60"),
        (#"/x?filter={"a":[1]}"#, "/x?filter=%7B%22a%22:%5B1%5D%7D"),
        ("/x?filter[name]=J%C3%BCrgen", "/x?filter%5Bname%5D=J%C3%BCrgen"),
        ("/100%?q=100%&r=%zz", "/100%25?q=100%25&r=%25zz"), ("/ü?q=ü", "/%C3%BC?q=%C3%BC"),
        (#"/a\b?q=\"#, "/a%5Cb?q=%5C"),
    ])
    func targetArrivesAsAURL(target: String, expected: String) async throws {
        server.on(.any, reply: .status(200))
        try await withClient(of: server) { client, url in
            client.send("GET \(target) HTTP/1.1", "Connection: close")
            _ = await client.text()
            #expect(server.requests.map(\.url.absoluteString) == ["\(url)\(expected)"])
        }
    }

    @Test func targetThatIsNotUTF8KeepsItsBytes() async throws {
        server.on(.any, reply: .status(200))
        try await withClient(of: server) { client, _ in
            let line = Data("GET /ü?q=".utf8) + [0xFF] + Data(" HTTP/1.1\r\n".utf8)
            client.socket.send(line + Data("Host: x\r\nConnection: close\r\n\r\n".utf8))
            _ = await client.text()
        }
        #expect(server.requests.first?.url.absoluteString.hasSuffix("/%C3%BC?q=%FF") == true)
    }

    @Test func optionsOfTheServerHaveThePathSlash() async throws {
        server.on(.method(.options), reply: .status(204))
        #expect(try await exchange("OPTIONS * HTTP/1.1").hasPrefix("HTTP/1.1 204 "))
        #expect(server.requests.first?.path == "/")
    }

    @Test func headerFieldsArriveJoinedAndWithoutThoseOfTheConnection() async throws {
        server.on(.any, reply: .status(200))

        _ = try await exchange(
            "pAtch / HTTP/1.1", "Expect: 100-continue", "Keep-Alive: 5", "TE: trailers",
            "Upgrade: h2c", "X-A: 1", "x-a:2", "Cookie: a=1", "Cookie: b=2", "X-Name:  José\t")

        let request = try #require(server.requests.first)
        #expect(request.method == "pAtch")
        #expect(request.headers == ["X-A": "1, 2", "Cookie": "a=1; b=2", "X-Name": "José"])
    }

    @Test func fieldInLatin1IsRead() async throws {
        server.on(.any, reply: .status(200))
        try await withClient(of: server) { client, _ in
            let head = "GET / HTTP/1.1\r\nHost: x\r\nX-Name: Jos\u{E9}\r\nConnection: close\r\n\r\n"
            client.socket.send(try #require(head.data(using: .isoLatin1)))
            _ = await client.text()
        }
        #expect(server.requests.first?.header("X-Name") == "José")
    }

    @Test(arguments: [
        ("Content-Length: 5", "hello", "hello"), ("Content-Length: 5, 5", "hello", "hello"),
        ("Transfer-Encoding: chunked", "2;x=y\r\nhe\r\n003\r\nllo\r\n0\r\nX: y\r\n\r\n", "hello"),
        ("Transfer-Encoding: Chunked", "0\r\n\r\n", ""), ("X: y", "", ""),
    ])
    func bodyIsRead(field: String, bytes: String, body: String) async throws {
        server.on(.any, reply: .status(200))

        let response = try await exchange("POST / HTTP/1.1", field, body: bytes)

        #expect(response.hasPrefix("HTTP/1.1 200 \r\n"))
        #expect(server.requests.first?.text == body)
    }

    private static let malformedFields = [
        "Content-Length: 1\r\nTransfer-Encoding: chunked", "Content-Length: -1",
        "Content-Length: 1, 2", "Content-Length: 99999999999999999999", "Transfer-Encoding: gzip",
        "Content-Length : 1", " folded: 1", "no colon", "X: a\rb", "X: \u{0}",
    ]
    private static let malformedHosts = ["a b", "a/b", "a@b", "a:b", "[::1", "ü"]
    private static let malformedLines = [
        "GET /", "GET  / HTTP/1.1", "GET / HTTP/1", "G T / HTTP/1.1", "\u{16}\u{3}\u{1}",
        "GET /\u{0} HTTP/1.1", "GET /\ta HTTP/1.1", "GET /\u{7F} HTTP/1.1", "GET /#a HTTP/1.1",
    ]
    private static let malformedChunks = [
        "z", "", "-1", "fffffffffffffffff", "1\r\nab", "0\r\nno colon\r\n",
    ]

    private static var malformed: [[String]] {
        let post = "POST / HTTP/1.1"
        return malformedLines.map { [$0] } + malformedFields.map { [post, $0] }
            + malformedChunks.map { [post, "Transfer-Encoding: chunked", $0 + "\r\n"] }
    }

    /// A line, a field and a body.
    @Test(arguments: malformed)
    func malformedOrAmbiguousRequestIsRefused(parts: [String]) async throws {
        let text = try await exchange(
            lines: Array(parts.prefix(2)), body: parts.dropFirst(2).joined())

        #expect(text.hasPrefix("HTTP/1.1 400 "))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: malformedHosts)
    func malformedHostIsRefused(host: String) async throws {
        let text = try await exchange("GET / HTTP/1.1", host: "Host: \(host)\r\n")
        #expect(text.hasSuffix("The header field Host is malformed.\n"))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["a.example:80", "[::1]:8080", "a_b.example:", ""])
    func hostOfAnyFormIsServed(host: String) async throws {
        server.on(.any, reply: .text("ok"))
        #expect(try await exchange("GET / HTTP/1.2", host: "Host: \(host)\r\n").hasSuffix("ok"))
    }

    @Test func otherVersionOfHTTPIsA505() async throws {
        #expect(try await exchange("PRI * HTTP/2.0").hasPrefix("HTTP/1.1 505 "))
    }

    @Test func clientOfHTTPSIsRefusedAtOnce() async throws {
        try await withClient(of: server) { client, _ in
            client.socket.send(Data([0x16, 3, 1, 0, 200]))
            let text = await client.text()
            #expect(text.hasSuffix("The port has no TLS. Use http.\n"))
        }
    }

    @Test(arguments: [(5 << 18, 1), (1, 1_000)])
    func headWithoutAnEndIsRefused(length: Int, count: Int) async throws {
        let line = "X: " + String(repeating: "a", count: length)
        let lines = ["GET / HTTP/1.1"] + Array(repeating: line, count: count)
        #expect(try await exchange(lines: lines).hasPrefix("HTTP/1.1 431 "))
    }

    @Test(arguments: [("Content-Length: 2", "hi"), ("X: y", ""), ("Content-Length: x", "")])
    func clientIsNotAskedForABodyThatHasArrivedOrCannot(field: String, body: String) async throws {
        server.on(.any, reply: .text("ok"), times: .anyNumber)
        let text = try await exchange(
            "POST / HTTP/1.1", field, "Expect: 100-continue", body: body)
        #expect(!text.contains("100 Continue"))
    }

    @Test func clientThatExpectsToContinueIsAskedForItsBody() async throws {
        server.on(.post("/"), reply: .text("ok"))
        try await withClient(of: server) { client, _ in
            client.send(
                "POST / HTTP/1.1", "Expect: 100-continue", "Content-Length: 2", "Connection: close")
            let received = await client.text(until: "\r\n\r\n")
            #expect(received == "HTTP/1.1 100 Continue\r\n\r\n")
            client.socket.send(Data("hi".utf8))
            let rest = await client.text()
            #expect(rest.hasSuffix("ok"))
        }
        #expect(server.requests.first?.text == "hi")
    }

    @Test func connectionServesRequestsInTheirOrder() async throws {
        server.on(.get("/slow"), reply: .text("slow").delayed(.milliseconds(5)))
        server.on(.get("/fast"), reply: .text("fast"))
        try await withClient(of: server) { client, _ in
            client.send("GET /slow HTTP/1.1", "", "GET /fast HTTP/1.1", "Host: x")
            let text = await client.text(until: "fast")
            #expect(text.ranges(of: "HTTP/1.1 200 ").count == 2)
            #expect(text.contains("slowHTTP"))
            client.send("GET /slow HTTP/1.1")
            let received = await client.text(until: "slow")
            #expect(received.hasSuffix("slow"))
        }
    }

    @Test(arguments: [
        (
            MockResponse.text("hi"),
            "Connection: close\r\nContent-Length: 2\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nhi"
        ),
        (.status(204).header("Content-Length", "3"), "Connection: close\r\n\r\n"),
        (
            .text("hi", status: 205),
            "Connection: close\r\nContent-Length: 0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
        ),
        (
            .data(Data("hi".utf8), contentType: "a/b").header("Content-Length", "1"),
            "Connection: close\r\nContent-Length: 1\r\nContent-Type: a/b\r\n\r\nh"
        ),
        (
            .data(Data("hi".utf8), contentType: "a/b").header("Content-Length", "-1"),
            "Connection: close\r\nContent-Length: 2\r\nContent-Type: a/b\r\n\r\nhi"
        ),
        (.status(200), "Connection: close\r\nContent-Length: 0\r\n\r\n"),
        (
            .status(200).header("Set-Cookie", "a=1; Expires=Tue, 01 Sep 2026 10:00:00 GMT").cookie(
                "b", "2"),
            "Connection: close\r\nContent-Length: 0\r\n"
                + "Set-Cookie: a=1; Expires=Tue, 01 Sep 2026 10:00:00 GMT\r\nSet-Cookie: b=2; Path=/\r\n\r\n"
        ),
        (
            .status(200).header("ETag", "1").header("X-a", "2").header("DNT", "3"),
            "Connection: close\r\nContent-Length: 0\r\nDNT: 3\r\nETag: 1\r\nX-a: 2\r\n\r\n"
        ),
        (
            .text("hi").header("Transfer-Encoding", "chunked").header("connection", "keep-alive"),
            "connection: close\r\nContent-Length: 2\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nhi"
        ),
        (
            .stream([Data("a".utf8), Data(repeating: 98, count: 17)]),
            "Connection: close\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n"
                + "X-Content-Type-Options: nosniff\r\n\r\n1\r\na\r\n11\r\nbbbbbbbbbbbbbbbbb\r\n0\r\n\r\n"
        ),
    ])
    func responseIsFramed(reply: MockResponse, expected: String) async throws {
        server.on(.any, reply: reply)

        let (line, fields) = try await get().split(at: "\n")

        #expect(line.hasPrefix("HTTP/1.1 2"))
        #expect(fields == expected)
    }

    @Test func connectionFieldOfAResponseEndsItsConnection() async throws {
        server.on(.any, reply: .text("hi").header("Connection", "Close"))
        try await withClient(of: server) { client, _ in
            client.send("GET / HTTP/1.1")
            let received = await client.text()
            #expect(received.contains("\r\nConnection: close\r\n"))
        }
    }

    @Test func decodedBodyOfARecordingHasNoContentEncoding() async throws {
        let field = HeaderField(name: "Content-Encoding", value: "gzip")
        server.replay([.make(responseFields: [field], reply: "decoded")])

        let text = try await exchange("GET / HTTP/1.1", origin: .make("/"))

        #expect(text.hasPrefix("HTTP/1.1 200 "))
        #expect(text.hasSuffix("\r\n\r\ndecoded"))
        #expect(!text.contains("Content-Encoding"))
    }

    @Test func responseWithoutChunksEndsWithItsConnection() async throws {
        server.on(.any, reply: .stream([Data("ab".utf8), Data("c".utf8)]))

        let text = try await get(version: "HTTP/1.0")

        #expect(text.hasSuffix("\r\n\r\nabc"))
        #expect(!text.contains("Transfer-Encoding"))
    }

    @Test(arguments: [("hello", "\r\n\r\nhell"), ("", "\r\n\r")])
    func responseWithALengthEndsWithItsStream(body: String, start: String) async throws {
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        server.on(.any, reply: .stream(chunks).header("Content-Length", "\(body.count)"))
        try await withClient(of: server) { client, _ in
            client.send("GET / HTTP/1.1")
            if !body.isEmpty { continuation.yield(Data(body.utf8)) }
            let received = await client.text(until: start)
            #expect(received.hasSuffix(start))
            continuation.finish()
            let last = await client.text(until: body.isEmpty ? "\n" : "o")
            #expect(last.count == 1)
        }
    }

    /// The path of the origin is no part of the requests.
    @Test(arguments: ["https://api.example.com", "https://api.example.com:8443/v1?q"])
    func patternsSeeTheOriginAndLocationsThatOfThePort(text: String) async throws {
        let origin = try #require(URL(string: text))
        let start = text.replacing("/v1?q", with: "")
        server.on(
            .get("/a").host("api.example.com"), reply: .redirect(to: "\(start)/b?c"),
            .redirect(to: start))

        for target in ["/b\\?c", ""] {
            let text = try await exchange("GET /a HTTP/1.1", origin: origin)

            #expect(text.hasPrefix("HTTP/1.1 302 "))
            let location = try Regex("Location: http://127\\.0\\.0\\.1:\\d+\(target)\r\n")
            #expect(text.firstMatch(of: location) != nil)
        }
        #expect(server.requests.map(\.url.absoluteString) == ["\(start)/a", "\(start)/a"])
    }

    @Test(arguments: ["api.example.com", "/a", "mailto:a@example.com"])
    func originWithoutAHostIsAnError(text: String) async throws {
        let origin = try #require(URL(string: text))
        let error = await #expect(throws: TestFailure.self) { try await server.listen(as: origin) }
        #expect(error?.message.hasPrefix("\(text) is no origin.") == true)
    }

    @Test(arguments: [
        ("Location", "//API.example.com/b", "http://P/b"),
        ("Content-Location", "https://api.example.com/b", "http://P/b"),
        ("Access-Control-Allow-Origin", "https://api.example.com", "http://P"),
        ("Refresh", "5; URL='https://api.example.com/b'", "5; URL='http://P/b'"),
        ("Refresh", "0;//api.example.com/b", "0;http://P/b"),
        ("Refresh", "5; url=/b", "5; url=/b"), ("Set-Cookie", "secure=1; Secure", "secure=1"),
        ("Set-Cookie", "__Host-a=1; Path=/; Secure", "__Host-a=1; Path=/; Secure"),
        (
            "Link",
            #"<https://api.example.com/?page=2>; rel="next", </c>; anchor="https://api.example.com/a""#,
            #"<http://P/?page=2>; rel="next", </c>; anchor="http://P/a""#
        ),
        (
            "Set-Cookie", "a=1; Domain=example.com; Path=/; Secure; SameSite=None; HttpOnly",
            "a=1; Path=/; HttpOnly"
        ),
        (
            "Set-Cookie", "a=Secure; domain=.API.example.com; SECURE; SameSite=Lax",
            "a=Secure; SameSite=Lax"
        ),
        ("Set-Cookie", "a=1; Domain=ample.com", "a=1; Domain=ample.com"),
    ])
    func fieldLeadsToThePort(name: String, value: String, expected: String) async throws {
        server.on(.any, reply: .status(201).header(name, value))

        let text = try await exchange("GET /a HTTP/1.1", origin: .make("https://api.example.com"))

        let port = text.replacing(#/127\.0\.0\.1:\d+/#, with: "P")
        #expect(port.contains("\r\n\(name): \(expected)\r\n"))
    }

    @Test(arguments: ["Strict-Transport-Security", "Alt-Svc"])
    func fieldThatLeadsAwayFromThePortIsRemoved(name: String) async throws {
        server.on(.any, reply: .status(200).header(name, "a"))
        let text = try await exchange("GET /a HTTP/1.1", origin: .make("https://api.example.com"))
        #expect(!text.contains(name))
    }

    @Test func pageOfThePortHasTheOrigin() async throws {
        server.on(.any, reply: .status(200))
        try await server.listening(as: .make("https://api.example.com")) { url in
            let client = PortClientUnderTest(url)
            defer { client.close() }
            client.send(
                "GET / HTTP/1.1", "Origin: \(url)", "Referer: \(url)/a?b", "X-Url: \(url)",
                "Connection: close")
            _ = await client.text()
            #expect(
                server.requests.first?.headers == [
                    "Origin": "https://api.example.com", "Referer": "https://api.example.com/a?b",
                    "X-Url": "\(url)",
                ])
        }
    }

    @Test func cookieOfAPortWithoutAnOriginStays() async throws {
        server.on(.any, reply: .status(200).header("Set-Cookie", "a=1; Domain=a.example; Secure"))
        #expect(try await get().contains("Set-Cookie: a=1; Domain=a.example; Secure\r\n"))
    }

    @Test(arguments: ["https://other.example/b", "/b"])
    func otherLocationsStay(location: String) async throws {
        server.on(.get("/a"), reply: .redirect(to: location))
        let origin = URL(string: "https://api.example.com")
        #expect(
            try await exchange("GET /a HTTP/1.1", origin: origin).contains(
                "Location: \(location)\r\n"))
    }

    @Test func missFailsTheTestAndIsA501() async throws {
        server.on(.get("/dogs"), reply: .status(200), times: .anyNumber)
        try await withClient(of: server) { client, url in
            client.send("GET /dog HTTP/1.1")
            let text = await client.text(until: "/dogs")
            #expect(text.hasPrefix("HTTP/1.1 501 \r\n"))
            #expect(text.contains("Unhandled request: GET \(url)/dog"))
            // The connection stays open.
            client.send("GET /dogs HTTP/1.1")
            let received = await client.text(until: "\r\n\r\n")
            #expect(received.hasPrefix("HTTP/1.1 200 "))
        }
        #expect(server.failures.map { $0.message.hasPrefix("Unhandled request: GET ") } == [true])
    }

    @Test(arguments: [
        (MockResponse.failure(.notConnectedToInternet), "A connection cannot show this error"),
        (.failure(.timedOut), "Reply with .never"),
        (.failure(CocoaError(.fileNoSuchFile)), "A connection cannot show this error"),
        (.status(103), "103 is not the status of a final response"), (.passthrough, "listen(as:)"),
        (.status(200).throttled(uploadBytesPerSecond: 10), "upload rate"),
    ])
    func whatAConnectionCannotShowFailsTheTest(reply: MockResponse, text: String) async throws {
        server.on(.any, reply: reply)
        try await withClient(of: server) { client, _ in
            client.send("GET / HTTP/1.1", "Connection: close")
            let response = await client.text()
            #expect(response.hasPrefix("HTTP/1.1 501 "))
            #expect(response.contains(text))
        }
        #expect(server.failures.map { $0.message.contains(text) } == [true])
    }

    @Test(arguments: [
        ["CONNECT a.example:443 HTTP/1.1"], ["GET * HTTP/1.1"], ["GET ?a HTTP/1.1"],
        ["GET / HTTP/1.1", "Upgrade: websocket", "Connection: upgrade"],
    ])
    func requestWithoutAPathOrForWebSocketsFailsTheTest(lines: [String]) async throws {
        #expect(try await exchange(lines: lines).hasPrefix("HTTP/1.1 501 "))
        #expect(server.failures.count == 1)
    }

    @Test(
        arguments: [.networkConnectionLost, .badServerResponse, .cannotParseResponse]
            as [URLError.Code])
    func lostConnectionHasNoResponse(code: URLError.Code) async throws {
        server.on(.any, reply: .failure(code))
        #expect(try await get() == "")
    }

    @Test(arguments: [
        ("HTTP/1.1", MockResponse.failure(.networkConnectionLost)),
        ("HTTP/1.0", .stream([Data("hello".utf8)]).truncated(after: 2)),
    ])
    func connectionThatIsLostWithoutALengthIsReset(version: String, reply: MockResponse)
        async throws
    {
        server.on(.any, reply: reply)
        try await withClient(of: server) { client, _ in
            client.send("GET / \(version)")
            let isReset = try await client.isReset()
            #expect(isReset)
        }
    }

    @Test func redirectThatIsCutEndsWithinItsBody() async throws {
        let reply = MockResponse.text("moved", status: 302).header("Location", "/b")
        server.on(.any, reply: reply.truncated(after: 2))
        let text = try await get()
        #expect(text.hasPrefix("HTTP/1.1 302 "))
        #expect(text.hasSuffix("\r\n\r\nmo"))
    }

    @Test func clientThatGoesEndsItsRequest() async throws {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        server.on(.any) { _ in
            defer { continuation.finish() }
            try await Task.sleep(for: .seconds(3_600))
            return .status(200)
        }
        try await server.listening { url in
            let client = PortClientUnderTest(url)
            client.send("GET / HTTP/1.1")
            _ = try await server.nextRequest()
            client.socket.resetOnClose()
            client.close()
            for await _ in ends {}
        }
    }

    @Test func clientThatGoesEndsAStreamWithItsNextChunks() async throws {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        let chunks = AsyncStream { Task.isCancelled ? nil : Data(repeating: 1, count: 100_000) }
        server.on(.any, reply: .stream(Watched(chunks: chunks) { continuation.finish() }))
        try await server.listening { url in
            let client = PortClientUnderTest(url)
            client.send("GET / HTTP/1.1")
            _ = await client.text(until: "\r\n\r\n")
            client.close()
            for await _ in ends {}
        }
    }

    @Test func clientThatHasSentAllReceivesItsResponse() async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(.get("/now"), reply: .text("now"))
        server.on(.get("/later"), reply: .text("later").delayed(.seconds(9)))
        for path in ["now", "later"] {
            try await withClient(of: server) { client, _ in
                client.send("GET /\(path) HTTP/1.1")
                client.socket.shutdown(Int32(SHUT_WR))
                if path == "later" { await clock.advanceToNextDeadline() }
                let received = await client.text()
                #expect(received.hasSuffix(path))
            }
        }
    }

    @Test(arguments: [("", 0), ("Host: x\r\nhost: x\r\n", 2)])
    func requestWithoutOneHostIsRefused(host: String, count: Int) async throws {
        let text = try await exchange("GET / HTTP/1.1", host: host)

        #expect(text.hasPrefix("HTTP/1.1 400 "))
        #expect(text.hasSuffix("The request has \(count) header fields Host. Send one.\n"))
        #expect(server.requests.isEmpty)
    }

    @Test func requestOfHTTP10NeedsNoHost() async throws {
        server.on(.any, reply: .text("ok"))
        #expect(try await exchange("GET / HTTP/1.0", host: "").hasSuffix("ok"))
    }

    @Test func upgradeWithoutItsOptionIsIgnored() async throws {
        server.on(.any, reply: .text("ok"))
        #expect(
            try await exchange("GET / HTTP/1.1", "Upgrade: websocket", "Connection: x-closed")
                .hasSuffix("ok"))
    }

    @Test func onlyTheOptionCloseEndsAConnection() async throws {
        server.on(.any, reply: .text("ok"), times: .anyNumber)
        try await withClient(of: server) { client, _ in
            client.send("GET / HTTP/1.1", "Connection: x-closed")
            let text = await client.text(until: "ok")
            #expect(!text.contains("Connection: close"))
        }
    }

    @Test func fieldsOfTheConnectionStayOnIt() async throws {
        server.on(.any, reply: .text("ok").header("Connection", "X-Back").header("X-Back", "1"))

        let text = try await exchange(
            "GET / HTTP/1.1", "Connection: x-hop, Keep-Alive", "X-Hop: 1", "X-End: 2",
            "Proxy-Authorization: Basic YTpi", "Proxy-Connection: keep-alive")

        #expect(server.requests.first?.headers == ["X-End": "2"])
        #expect(!text.contains("X-Back"))
    }

    /// Listens below the numbers that systems give to other sockets, so that none takes the port.
    private func listenOnAReservedPort(of server: MockServer) async throws -> ListeningPort {
        for number in (10_000..<32_768).shuffled().prefix(20) {
            let port = await Result.of { try await server.listen(port: number) }
            if case .success(let port) = port { return port }
        }
        return try await server.listen(port: 32_767)
    }

    @Test(arguments: [false, true])
    func stopEndsRequestsInProgress(isPipelined: Bool) async throws {
        server.on(.any, reply: .never)
        let port = try await listenOnAReservedPort(of: server)
        let client = PortClientUnderTest(port.url)
        client.send("GET / HTTP/1.1")
        if isPipelined { client.send("GET / HTTP/1.1") }
        _ = try await server.nextRequest()

        await port.stop()

        let received = await client.text()
        #expect(received == "")
        client.close()
        let number = try #require(port.url.port)
        let again = try await server.listen(port: number)
        #expect(again.url == port.url)
        await again.stop()
    }

    @Test func portInUseIsAnError() async throws {
        try await server.listening { url in
            let number = try #require(url.port)
            let error = await #expect(throws: TestFailure.self) {
                try await server.listen(port: number)
            }
            let text = "Port \(number) of 127.0.0.1 cannot be opened: Address already in use."
            #expect(error?.message.hasPrefix(text) == true)
        }
        await #expect(throws: TestFailure.self) { try await server.listen(port: 65_536) }
    }

    @Test func failureOfASandboxedAppNamesItsEntitlement() {
        let failure = ListeningPort.failure(of: 80, POSIXError(.EPERM))
        #expect(failure.message.contains("com.apple.security.network.server"))
    }

    @Test func releasedServerEndsRequestsInProgressAndStopsListening() async throws {
        var server: MockServer? = MockServer()
        server?.on(.any, reply: .never)
        let url = try await listenOnAReservedPort(of: #require(server)).url
        let client = PortClientUnderTest(url)
        client.send("GET / HTTP/1.1")
        _ = try await server?.nextRequest()
        server = nil
        let received = await client.text()
        #expect(received == "")
        client.close()

        let late = PortClientUnderTest(url)
        late.send("GET / HTTP/1.1")
        let refused = await late.text()
        #expect(refused == "")
        late.close()
    }

    @Test func requestThatStopEndsMayReleaseTheServer() async throws {
        let server = Locked<MockServer?>(MockServer())
        server.withLock { $0 }?.on(.any) { _ in
            try await withTaskCancellationHandler {
                try await Task.sleep(for: .seconds(3_600))
            } onCancel: {
                server.withLock { $0 = nil }
            }
            return .status(200)
        }
        let port = try #require(try await server.withLock { $0 }?.listen())
        let client = PortClientUnderTest(port.url)
        client.send("GET / HTTP/1.1")
        _ = try await server.withLock { $0 }?.nextRequest()

        await port.stop()

        let received = await client.text()
        #expect(received == "")
        client.close()
    }

    @Test func manyCyclesLeaveNoDescriptor() async throws {
        server.on(.any, reply: .never, times: .anyNumber)
        var port = try await server.listen()
        let (count, cycles) = (try openConnections, Stress.isFull ? 100 : 20)
        for _ in 0..<cycles {
            let clients = (0..<10).map { _ in PortClientUnderTest(port.url) }
            for client in clients { client.send("GET / HTTP/1.1") }
            await port.stop()
            for client in clients { client.close() }
            port = try await server.listen()
        }
        await port.stop()
        // Other tests open connections at the same time.
        #expect(try openConnections - count < cycles * 7)
    }

    private var openConnections: Int {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count { name in
                var (address, length) = (sockaddr(), socklen_t(MemoryLayout<sockaddr>.size))
                return getsockname(Int32(name) ?? -1, &address, &length) == 0
                    && address.sa_family == AF_INET
            }
        }
    }

    // MARK: - Other clients

    // Only these systems let a process start another one.
    #if os(macOS) || os(Linux)

    /// Runs curl with a URL, and returns what it writes.
    private func curl(_ arguments: String..., url: URL) async throws -> String {
        let options = (["--silent", "--max-time", "600"] + arguments).joined(separator: " ")
        let output = try await Shell.run("curl \(options) '\(url.absoluteString)'")
        return String(decoding: output, as: UTF8.self)
    }

    @Test func recordingIsMadeAndReplayedThroughThePort() async throws {
        let folder = try RecordingFolder()
        let real = MockServer { request in
            .text("real \(request.path)").header("X-Real", "1").cookie("session", "s3cret")
        }
        func run(_ mode: Cassette.Mode, _ origin: URL) async throws -> String {
            let server = folder.server(replaying: folder.cassette(mode: mode))
            defer { server.verify() }
            return try await server.listening(as: origin) { url in
                try await curl("-i", url: url.appending(path: "dogs"))
            }
        }
        try await real.listening { origin in
            let recorded = try await run(.all, origin)
            #expect(recorded.contains("X-Real: 1\r\n"))
            #expect(recorded.hasSuffix("\r\n\r\nreal /dogs"))
            #expect(try folder.entries().map(\.request.url.absoluteString) == ["\(origin)/dogs"])
            let replayed = try await run(.none, origin)
            #expect(replayed.hasSuffix("\r\n\r\nreal /dogs"))
            #expect(real.requests.count == 1)
        }
    }
    #endif
}
