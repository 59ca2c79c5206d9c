import APIKit
import Foundation
import Testing

/// Requests and responses that are the same with each kind of server.
///
/// A test is a row of a table whose columns are the backends. A column that a row leaves out stands in the
/// row, with the reason.
@Suite(.timeLimit(.minutes(10)), Backend.turns) struct ExchangeTests {
    @Test(arguments: Backend.all())
    func responseHasItsStatusHeadAndBody(backend: Backend) async throws {
        try await backend.run(respond: { request in
            .text("body", status: request.number)
                .header("Content-Type", "text/x-dog; charset=utf-8").header("X-Dog", "Rex")
        }) { site in
            for status in [200, 203, 206, 299, 300, 401, 410, 599] {
                let url = site.baseURL.appending(path: "\(status)")
                let (data, response) = try await site.transport.send(URLRequest(url: url))

                let http = try #require(response as? HTTPURLResponse)
                #expect(http.statusCode == status)
                #expect(data == Data("body".utf8))
                #expect(http.url == url)
                #expect(http.value(forHTTPHeaderField: "x-dog") == "Rex")
                #expect(http.mimeType == "text/x-dog")
                #expect(http.textEncodingName == "utf-8")
                #expect(http.expectedContentLength == 4)
                #expect(await site.lines.last == "GET /\(status)")
            }
        }
    }

    @Test(arguments: Backend.all())
    func challengeWithoutACredentialReturnsThe401(backend: Backend) async throws {
        let challenges = [
            "Basic realm=\"dogs\"", "Bearer", "Bearer realm=\"x\", Basic realm=\"x\"",
            "Digest realm=\"x\", qop=\"auth\", nonce=\"n\", opaque=\"o\"",
        ]
        try await backend.run(respond: { request in
            .text("who?", status: 401)
                .header("WWW-Authenticate", challenges[request.number])
        }) { site in
            for (index, challenge) in challenges.enumerated() {
                let url = site.baseURL.appending(path: "\(index)")

                let (data, response) = try await site.transport.send(URLRequest(url: url))

                let http = try #require(response as? HTTPURLResponse)
                #expect(http.statusCode == 401)
                #expect(http.url == url)
                #expect(http.value(forHTTPHeaderField: "WWW-Authenticate") == challenge)
                #expect(data == Data("who?".utf8))
            }
        }
    }

    @Test(arguments: Backend.all())
    func clientAcceptsOnly2xxStatuses(backend: Backend) async throws {
        let text: @Sendable (Int) -> String = { [204, 304].contains($0) ? "" : "because" }
        try await backend.run(respond: { request in
            .text(text(request.number), status: request.number)
        }) { site in
            for status in [200, 204, 300, 304, 400, 503] {
                let result = await Result { try await site.load("/\(status)") }

                if 200..<300 ~= status {
                    let response = try result.get()
                    #expect(response.statusCode == status)
                    #expect(response.value == text(status))
                } else {
                    let error = #expect(throws: APIError.self) { try result.get() }
                    #expect(error?.kind == .status(status))
                    #expect(error?.body == Data(text(status).utf8))
                }
            }
        }
    }

    @Test(arguments: Backend.all())
    func statusWithoutContentHasNoBody(backend: Backend) async throws {
        try await backend.run(respond: {
            Reply(status: $0.number, body: .data(Data())).header("ETag", "\"1\"")
        }) { site in
            for status in [204, 304] {
                let request = URLRequest(url: site.baseURL.appending(path: "\(status)"))
                let (data, response) = try await site.transport.send(request)

                #expect((response as? HTTPURLResponse)?.statusCode == status)
                #expect(
                    (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag") == "\"1\"")
                #expect(data.isEmpty)
                let (stream, _) = try await site.transport.stream(request)
                #expect(try await stream.data().isEmpty)
            }
        }
    }

    @Test(arguments: Backend.all())
    func headRequestReceivesNoBody(backend: Backend) async throws {
        try await backend.run(respond: {
            .text("12345", status: $0.number).header("X-Dog", "Rex")
        }) { site in
            for status in [200, 404] {
                var request = URLRequest(url: site.baseURL.appending(path: "\(status)"))
                request.httpMethod = "HEAD"

                let (data, response) = try await site.transport.send(request)

                let http = try #require(response as? HTTPURLResponse)
                #expect(http.statusCode == status)
                #expect(http.value(forHTTPHeaderField: "X-Dog") == "Rex")
                #expect(data.isEmpty)
                let reason = "The server has no body, and so it sends no length."
                let withoutLength: [Backend: String] = [
                    .flyingFox: reason, .asyncHTTPClient: reason, .passthrough: reason,
                    .http2: reason,
                ]
                if withoutLength[backend] == nil {
                    #expect(http.value(forHTTPHeaderField: "Content-Length") == "5")
                }
            }
        }
    }

    @Test(arguments: Backend.all())
    func redirectWithoutALocationIsReturned(backend: Backend) async throws {
        try await backend.run(respond: { .text("", status: $0.number) }) {
            site in
            let statuses = [301, 302, 303, 307, 308]
            for status in statuses {
                let error = await #expect(throws: APIError.self) {
                    try await site.load("/\(status)")
                }
                #expect(error?.kind == .status(status))
            }
            #expect(await site.lines == statuses.map { "GET /\($0)" })
        }
    }

    @Test(arguments: Backend.all())
    func requestHasItsMethodTargetAndHeaders(backend: Backend) async throws {
        try await backend.run(respond: { .text($0.header("X-Dog") ?? "none") }) { site in
            for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
                let target = "/a%2Fb/%C3%A9;c=d?q=1+2;3&q=%2B&empty=&flag"

                let response = try await site.load(
                    target, method: method, headers: ["x-dog": "Ünal, Rex"])

                #expect(response.value == "Ünal, Rex")
                #expect(await site.lines.last == "\(method) \(target)")
            }
        }
    }

    @Test(arguments: Backend.all(), [1, 24])
    func chunksOfABodyAreJoined(backend: Backend, count: Int) async throws {
        let chunks = (0..<count).map { String(repeating: "\($0) ", count: 1 + $0 * 10) }
        try await backend.run(respond: { _ in .chunks(chunks) }) { site in
            #expect(try await site.load("/whole").value == chunks.joined())

            let stream = try await site.client().stream(
                TextRequest(), with: URLRequest(.get, "stream"))
            #expect(try await stream.value.data() == Data(chunks.joined().utf8))
        }
    }

    @Test(arguments: Backend.all(but: [.recording: "It has no moments between chunks."]))
    func streamYieldsAChunkBeforeTheNextIsSent(backend: Backend) async throws {
        let (chunks, sender) = AsyncStream.makeStream(of: Data.self)
        try await backend.run(respond: { _ in Reply(body: .chunks(chunks)) }) { site in
            sender.yield(Data("one\n".utf8))
            let response = try await site.client().stream(
                TextRequest(), with: URLRequest(.get, "slow"))
            var lines = response.value.lines.makeAsyncIterator()

            for line in ["one", "two", "three"] {
                #expect(try await lines.next() == line)
                sender.yield(Data((line == "one" ? "two\n" : "three\n").utf8))
            }
            sender.finish()
        }
    }

    @Test(arguments: Backend.all())
    func concurrentRequestsReceiveTheirOwnResponses(backend: Backend) async throws {
        try await backend.run(respond: { .text($0.target) }) { site in
            let targets = (0..<(Stress.isFull ? 500 : 12)).map { "/dogs/\($0)?n=\($0)" }

            let texts = try await withThrowingTaskGroup(of: (String, String).self) { group in
                for target in targets {
                    group.addTask { (target, try await site.load(target).value) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }

            #expect(texts == Dictionary(uniqueKeysWithValues: zip(targets, targets)))
        }
    }

    /// Responses whose bytes and fields a server, a mock or a recording could change.
    private static let replies: [Reply] = [
        .text("Ünal, Rex 🐕\r\n").header("Content-Type", "text/plain"),
        .text(#"{"age":1.0,"big":12345678901234567890}"#)
            .header("Content-Type", "application/json; charset=utf-8"),
        .text(#"{"title":"Not Found","status":404}"#, status: 404)
            .header("Content-Type", "application/problem+json"),
        Reply(body: .data(Data((0...255).map { UInt8($0) }))).header("Content-Type", "image/x-dog"),
        Reply(body: .data(Data([0x44, 0xF6, 0x67])))
            .header("Content-Type", "text/plain; charset=iso-8859-1"),
        Reply(body: .data(Data([0xEF, 0xBB, 0xBF, 0x52, 0x65, 0x78])))
            .header("Content-Type", "text/csv; charset=utf-8"),
        .text("\0\u{1}\u{7F}\u{2028}\"\\/").header("Content-Type", "text/plain"),
        .text("").header("Content-Type", "text/plain"),
        .text("Rex").header("Content-Type", "text/plain").header("Vary", "Accept")
            .header("Vary", "Cookie").header("X-Dog", "Rex, Max"),
    ]

    @Test(arguments: Backend.all())
    func bytesAndFieldsOfAResponseArrive(backend: Backend) async throws {
        try await backend.run(respond: { Self.replies[$0.number] }) { site in
            for (index, reply) in Self.replies.enumerated() {
                for way in ["whole", "stream"] {
                    let request = URLRequest(url: site.baseURL.appending(path: "\(way)\(index)"))
                    let (data, response): (Data, URLResponse)
                    if way == "whole" {
                        (data, response) = try await site.transport.send(request)
                    } else {
                        let stream: ByteStream
                        (stream, response) = try await site.transport.stream(request)
                        data = try await stream.data()
                    }

                    guard case .data(let body) = reply.body else { continue }
                    #expect(data == body, "\(way) \(reply)")
                    let http = try #require(response as? HTTPURLResponse)
                    for name in Set(reply.headers.map(\.name)) {
                        let values = reply.headers.filter { $0.name == name }.map(\.value)
                        let received = http.value(forHTTPHeaderField: name) ?? ""
                        #expect(
                            received.replacing(", ", with: ",")
                                == values.joined(separator: ",").replacing(", ", with: ","))
                    }
                }
            }
        }
    }

    @Test(
        arguments: Backend.all(but: [
            .apple: "The system decodes it.", .session: "A mock decodes nothing.",
            .transport: "A mock decodes nothing.",
        ]))
    func compressedBodyIsDecoded(backend: Backend) async throws {
        try await backend.run(respond: { _ in .gzip }) { site in
            let response = try await site.load("/dogs")
            #expect(response.value == "Rex")
        }
    }
}
