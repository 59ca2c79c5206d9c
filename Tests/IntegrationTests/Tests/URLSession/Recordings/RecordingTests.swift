import APIKit
import APIKitTesting
import Foundation
import Testing

/// A real server, its recording, and the replay after the server has stopped give the same results.
@Suite(.timeLimit(.minutes(10))) struct RecordingTests {
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Returns a server that uses the recording in the folder.
    ///
    /// The recording masks nothing, so that all values can be compared.
    private func server(
        _ mode: Cassette.Mode, line: Int = #line
    ) -> MockServer {
        let server = MockServer()
        server.replay(
            Cassette(
                "real", mode: mode, redacting: .nothing,
                filePath: folder.url("RecordingTests.swift").path),
            line: line)
        return server
    }

    @Test(arguments: LoadKind.allCases, Example.all)
    func recordingReplaysEqual(kind: LoadKind, example: Example) async throws {
        // A download of a response to HEAD cancels its load after the head, so it is not recorded.
        if kind == .download, example.method == "HEAD" { return }
        let recorder = server(.all)
        let (request, recorded) = try await LocalServer.run(respond: {
            example.reply(to: $0).served
        }) {
            server in
            let method = kind.method == "GET" ? example.method : kind.method
            let request = try server.request("/start?q=1", method: method)
            let recorded = try await kind.outcome(of: request) {
                recorder.makeSession(delegate: $0)
            }
            #expect(await server.requests.count == recorder.requests.count)
            if kind.isByAPIKit {
                let served = try await kind.outcome(of: request) { .make(delegate: $0) }
                #expect(recorded == served)
            }
            return (request, recorded)
        }
        recorder.verify()
        let player = server(.none)

        let replayed = try await kind.outcome(of: request) { player.makeSession(delegate: $0) }

        #expect(replayed == recorded)
        #expect(player.requests.map(\.url) == recorder.requests.map(\.url))
        player.verify()
    }

    @Test(arguments: ExchangeTests.Breakage.allCases)
    func failedLoadIsNotRecorded(breakage: ExchangeTests.Breakage) async throws {
        let recorder = server(.all)
        let request = try await breakage.run(with: recorder.session) { session, request in
            await #expect(throws: APIError.self) { try await session.load(request) }
            return request
        }
        recorder.verify()
        let player = server(.newEpisodes)

        // The server is stopped, so a request without an entry fails in the network.
        let error = await #expect(throws: APIError.self) { try await player.session.load(request) }

        #expect(error?.urlError?.code == .cannotConnectToHost)
        player.verify()
    }

    @Test func cancelledLoadIsNotRecorded() async throws {
        let (chunks, sender) = AsyncStream.makeStream(of: Data.self)
        let recorder = server(.all)
        let (slow, quick) = try await LocalServer.run(respond: { request in
            request.path == "/slow" ? Reply(body: .chunks(chunks)).served : .text("hello")
        }) { server in
            let requests = try (server.request("/slow"), server.request("/quick"))
            sender.yield(Data("one".utf8))
            let stream = try await APIClient(transport: recorder.session)
                .stream(TextRequest(), with: requests.0).value
            // Leaving the loop cancels the load.
            for try await _ in stream { break }
            #expect(try await recorder.session.load(requests.1).value == "hello")
            sender.finish()
            return requests
        }
        recorder.verify()
        let player = server(.newEpisodes)

        #expect(try await player.session.load(quick).value == "hello")
        // The server is stopped, so a request without an entry fails in the network.
        await #expect(throws: APIError.self) { try await player.session.load(slow) }

        player.verify()
    }

    @Test func loadsAtTheSameTimeReplayEqual() async throws {
        let recorder = server(.all)
        let requests = try await LocalServer.run(respond: { .text($0.target) }) { server in
            let requests = try (0..<200).map { try server.request("/dogs/\($0)") }
            try await expectEchoes(of: requests, from: recorder.session)
            return requests
        }
        recorder.verify()
        let player = server(.none)

        try await expectEchoes(of: requests.shuffled(), from: player.session)

        player.verify()
    }

    private func expectEchoes(of requests: [URLRequest], from session: URLSession) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for request in requests {
                group.addTask {
                    let text = try await session.load(request).value
                    #expect(text == request.url?.path)
                }
            }
            try await group.waitForAll()
        }
    }
}

/// A response of a real server to record.
struct Example: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var method = "GET"
    private let respond: @Sendable (ReceivedRequest) -> Reply

    init(
        _ description: String, method: String = "GET",
        respond: @escaping @Sendable (ReceivedRequest) -> Reply
    ) {
        testDescription = description
        self.method = method
        self.respond = respond
    }

    func reply(to request: ReceivedRequest) -> Reply { respond(request) }

    static let all = [
        Example("text") { _ in .text("Ünal, Rex 🐕\r\n").header("Content-Type", "text/plain") },
        Example("JSON") { _ in
            .text(#"{"name":"Rex","age":1.0,"big":12345678901234567890}"#)
                .header("Content-Type", "application/json; charset=utf-8")
        },
        Example("JSON problem with status 404") { _ in
            .text(#"{"type":"about:blank","title":"Not Found","status":404}"#, status: 404)
                .header("Content-Type", "application/problem+json")
        },
        Example("text with status 503") { _ in
            .text("later", status: 503).header("Retry-After", "1")
        },
        Example("all bytes") { _ in
            Reply(body: .data(Data((0...255).map { UInt8($0) })))
                .header("Content-Type", "image/x-dog")
        },
        Example("bytes that are not UTF-8, as text") { _ in
            Reply(body: .data(Data([0x44, 0xF6, 0x67])))
                .header("Content-Type", "text/plain; charset=iso-8859-1")
        },
        Example("text with a byte order mark") { _ in
            Reply(body: .data(Data([0xEF, 0xBB, 0xBF, 0x52, 0x65, 0x78])))
                .header("Content-Type", "text/csv; charset=utf-8")
        },
        Example("text with control characters") { _ in .text("\0\u{1}\u{7F}\u{2028}\"\\/") },
        Example("empty body") { _ in .text("") },
        Example("status 204") { _ in .text("", status: 204).header("ETag", "\"1\"") },
        Example("status 304") { _ in .text("", status: 304).header("ETag", "\"1\"") },
        Example("HEAD", method: "HEAD") { _ in .text("12345").header("X-Dog", "Rex") },
        Example("gzip") { _ in .gzip },
        Example("chunks") { _ in .chunks(["one ", "two ", "", "three"]) },
        Example("large body") { _ in
            Reply(body: .data(Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })))
        },
        Example("several cookies") { _ in
            .text("hello")
                .header("Set-Cookie", "session=s3cr3t-value; Path=/; HttpOnly")
                .header("Set-Cookie", "dog=Rex; Expires=Wed, 21 Oct 2065 07:28:00 GMT")
                .header("Set-Cookie", "gone=1; Max-Age=0")
        },
        Example("header field with several values") { _ in
            .text("hello").header("Cache-Control", "no-store").header("Vary", "Accept")
                .header("Vary", "Cookie").header("X-Dog", "Rex, Max")
        },
        Example("redirects with a cookie") { request in
            switch request.path {
            case "/start": .redirect(to: "/next?q=2").header("Set-Cookie", "dog=Rex; Path=/")
            case "/next": .redirect(307, to: "end")
            default: .text("there \(request.method) \(request.header("Cookie") ?? "none")")
            }
        },
        Example("redirect that is not followed") { _ in
            .redirect(to: "mailto:rex@example.com")
        },
    ]
}
