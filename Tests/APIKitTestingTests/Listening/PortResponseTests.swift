import Foundation
import Testing

@testable import APIKit
@testable import APIKitTesting

/// What a client of a port receives.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct PortResponseTests {
    private let server = MockServer()

    @Test func connectionServesRequestsInTheirOrder() async throws {
        server.on(.get("/slow"), reply: .text("slow").delayed(.milliseconds(5)))
        server.on(.get("/fast"), reply: .text("fast"))
        try await server.withClient { client, _ in
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

        let (line, fields) = try await server.exchange("GET / HTTP/1.1").split(at: "\n")

        #expect(line.hasPrefix("HTTP/1.1 2"))
        #expect(fields == expected)
    }

    @Test func connectionFieldOfAResponseEndsItsConnection() async throws {
        server.on(.any, reply: .text("hi").header("Connection", "Close"))
        try await server.withClient { client, _ in
            client.send("GET / HTTP/1.1")
            let received = await client.text()
            #expect(received.contains("\r\nConnection: close\r\n"))
        }
    }

    @Test func decodedBodyOfARecordingHasNoContentEncoding() async throws {
        let field = HeaderField(name: "Content-Encoding", value: "gzip")
        server.replay([.make(responseFields: [field], reply: "decoded")])

        let text = try await server.exchange("GET / HTTP/1.1", origin: .make("/"))

        #expect(text.hasPrefix("HTTP/1.1 200 "))
        #expect(text.hasSuffix("\r\n\r\ndecoded"))
        #expect(!text.contains("Content-Encoding"))
    }

    @Test func responseWithoutChunksEndsWithItsConnection() async throws {
        server.on(.any, reply: .stream([Data("ab".utf8), Data("c".utf8)]))

        let text = try await server.exchange("GET / HTTP/1.0")

        #expect(text.hasSuffix("\r\n\r\nabc"))
        #expect(!text.contains("Transfer-Encoding"))
    }

    @Test(arguments: [("hello", "\r\n\r\nhell"), ("", "\r\n\r")])
    func responseWithALengthEndsWithItsStream(body: String, start: String) async throws {
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        server.on(.any, reply: .stream(chunks).header("Content-Length", "\(body.count)"))
        try await server.withClient { client, _ in
            client.send("GET / HTTP/1.1")
            if !body.isEmpty { continuation.yield(Data(body.utf8)) }
            let received = await client.text(until: start)
            #expect(received.hasSuffix(start))
            continuation.finish()
            let last = await client.text(until: body.isEmpty ? "\n" : "o")
            #expect(last.count == 1)
        }
    }

    @Test func missFailsTheTestAndIsA501() async throws {
        server.on(.get("/dogs"), reply: .status(200), times: .anyNumber)
        try await server.withClient { client, url in
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
        try await server.withClient { client, _ in
            client.send("GET / HTTP/1.1", "Connection: close")
            let response = await client.text()
            #expect(response.hasPrefix("HTTP/1.1 501 "))
            #expect(response.contains(text))
        }
        #expect(server.failures.map { $0.message.contains(text) } == [true])
    }

    @Test(
        arguments: [.networkConnectionLost, .badServerResponse, .cannotParseResponse]
            as [URLError.Code])
    func lostConnectionHasNoResponse(code: URLError.Code) async throws {
        server.on(.any, reply: .failure(code))
        #expect(try await server.exchange("GET / HTTP/1.1") == "")
    }

    @Test(arguments: [
        ("HTTP/1.1", MockResponse.failure(.networkConnectionLost)),
        ("HTTP/1.0", .stream([Data("hello".utf8)]).truncated(after: 2)),
    ])
    func connectionThatIsLostWithoutALengthIsReset(version: String, reply: MockResponse)
        async throws
    {
        server.on(.any, reply: reply)
        try await server.withClient { client, _ in
            client.send("GET / \(version)")
            let isReset = try await client.isReset()
            #expect(isReset)
        }
    }

    @Test func redirectThatIsCutEndsWithinItsBody() async throws {
        let reply = MockResponse.text("moved", status: 302).header("Location", "/b")
        server.on(.any, reply: reply.truncated(after: 2))
        let text = try await server.exchange("GET / HTTP/1.1")
        #expect(text.hasPrefix("HTTP/1.1 302 "))
        #expect(text.hasSuffix("\r\n\r\nmo"))
    }

    @Test func onlyTheOptionCloseEndsAConnection() async throws {
        server.on(.any, reply: .text("ok"), times: .anyNumber)
        try await server.withClient { client, _ in
            client.send("GET / HTTP/1.1", "Connection: x-closed")
            let text = await client.text(until: "ok")
            #expect(!text.contains("Connection: close"))
        }
    }

    @Test func fieldsOfTheConnectionStayOnIt() async throws {
        server.on(.any, reply: .text("ok").header("Connection", "X-Back").header("X-Back", "1"))

        let text = try await server.exchange(
            "GET / HTTP/1.1", "Connection: x-hop, Keep-Alive", "X-Hop: 1", "X-End: 2",
            "Proxy-Authorization: Basic YTpi", "Proxy-Connection: keep-alive")

        #expect(server.requests.first?.headers == ["X-End": "2"])
        #expect(!text.contains("X-Back"))
    }
}
