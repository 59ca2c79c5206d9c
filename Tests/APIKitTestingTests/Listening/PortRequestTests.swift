import Foundation
import Testing

@testable import APIKit
@testable import APIKitTesting

/// How a port reads requests.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct PortRequestTests {
    private let server = MockServer()

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
        try await server.withClient { client, url in
            client.send("GET \(target) HTTP/1.1", "Connection: close")
            _ = await client.text()
            #expect(server.requests.map(\.url.absoluteString) == ["\(url)\(expected)"])
        }
    }

    @Test func targetThatIsNotUTF8KeepsItsBytes() async throws {
        server.on(.any, reply: .status(200))
        try await server.withClient { client, _ in
            let line = Data("GET /ü?q=".utf8) + [0xFF] + Data(" HTTP/1.1\r\n".utf8)
            client.socket.send(line + Data("Host: x\r\nConnection: close\r\n\r\n".utf8))
            _ = await client.text()
        }
        #expect(server.requests.first?.url.absoluteString.hasSuffix("/%C3%BC?q=%FF") == true)
    }

    @Test func headerFieldsArriveJoinedAndWithoutThoseOfTheConnection() async throws {
        server.on(.any, reply: .status(200))

        _ = try await server.exchange(
            "pAtch / HTTP/1.1", "Expect: 100-continue", "Keep-Alive: 5", "TE: trailers",
            "Upgrade: h2c", "X-A: 1", "x-a:2", "Cookie: a=1", "Cookie: b=2", "X-Name:  José\t")

        let request = try #require(server.requests.first)
        #expect(request.method == "pAtch")
        #expect(request.headers == ["X-A": "1, 2", "Cookie": "a=1; b=2", "X-Name": "José"])
    }

    @Test func fieldInLatin1IsRead() async throws {
        server.on(.any, reply: .status(200))
        try await server.withClient { client, _ in
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

        let response = try await server.exchange("POST / HTTP/1.1", field, body: bytes)

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
        let text = try await server.exchange(
            lines: Array(parts.prefix(2)), body: parts.dropFirst(2).joined())

        #expect(text.hasPrefix("HTTP/1.1 400 "))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: malformedHosts)
    func malformedHostIsRefused(host: String) async throws {
        let text = try await server.exchange("GET / HTTP/1.1", host: "Host: \(host)\r\n")
        #expect(text.hasSuffix("The header field Host is malformed.\n"))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["a.example:80", "[::1]:8080", "a_b.example:", ""])
    func hostOfAnyFormIsServed(host: String) async throws {
        server.on(.any, reply: .text("ok"))
        #expect(
            try await server.exchange("GET / HTTP/1.2", host: "Host: \(host)\r\n").hasSuffix("ok"))
    }

    @Test func otherVersionOfHTTPIsA505() async throws {
        #expect(try await server.exchange("PRI * HTTP/2.0").hasPrefix("HTTP/1.1 505 "))
    }

    @Test func clientOfHTTPSIsRefusedAtOnce() async throws {
        try await server.withClient { client, _ in
            client.socket.send(Data([0x16, 3, 1, 0, 200]))
            let text = await client.text()
            #expect(text.hasSuffix("The port has no TLS. Use http.\n"))
        }
    }

    @Test(arguments: [(5 << 18, 1), (1, 1_000)])
    func headWithoutAnEndIsRefused(length: Int, count: Int) async throws {
        let line = "X: " + String(repeating: "a", count: length)
        let lines = ["GET / HTTP/1.1"] + Array(repeating: line, count: count)
        #expect(try await server.exchange(lines: lines).hasPrefix("HTTP/1.1 431 "))
    }

    @Test(arguments: [("Content-Length: 2", "hi"), ("X: y", ""), ("Content-Length: x", "")])
    func clientIsNotAskedForABodyThatHasArrivedOrCannot(field: String, body: String) async throws {
        server.on(.any, reply: .text("ok"), times: .anyNumber)
        let text = try await server.exchange(
            "POST / HTTP/1.1", field, "Expect: 100-continue", body: body)
        #expect(!text.contains("100 Continue"))
    }

    @Test func clientThatExpectsToContinueIsAskedForItsBody() async throws {
        server.on(.post("/"), reply: .text("ok"))
        try await server.withClient { client, _ in
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

    @Test(arguments: [
        ["CONNECT a.example:443 HTTP/1.1"], ["OPTIONS * HTTP/1.1"], ["GET ?a HTTP/1.1"],
        ["GET / HTTP/1.1", "Upgrade: websocket", "Connection: upgrade"],
    ])
    func requestWithoutAPathOrForWebSocketsFailsTheTest(lines: [String]) async throws {
        #expect(try await server.exchange(lines: lines).hasPrefix("HTTP/1.1 501 "))
        #expect(server.failures.count == 1)
    }

    @Test(arguments: [("", 0), ("Host: x\r\nhost: x\r\n", 2)])
    func requestWithoutOneHostIsRefused(host: String, count: Int) async throws {
        let text = try await server.exchange("GET / HTTP/1.1", host: host)

        #expect(text.hasPrefix("HTTP/1.1 400 "))
        #expect(text.hasSuffix("The request has \(count) header fields Host. Send one.\n"))
        #expect(server.requests.isEmpty)
    }

    @Test func requestOfHTTP10NeedsNoHost() async throws {
        server.on(.any, reply: .text("ok"))
        #expect(try await server.exchange("GET / HTTP/1.0", host: "").hasSuffix("ok"))
    }

    @Test func upgradeWithoutItsOptionIsIgnored() async throws {
        server.on(.any, reply: .text("ok"))
        #expect(
            try await server.exchange(
                "GET / HTTP/1.1", "Upgrade: websocket", "Connection: x-closed"
            )
            .hasSuffix("ok"))
    }
}
