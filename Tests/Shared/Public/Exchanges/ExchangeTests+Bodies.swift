import APIKit
import Foundation
import Testing

extension ExchangeTests {
    /// The kinds of bodies that a client sends.
    enum Kind: CaseIterable {
        case json, form, data, file, multipart

        func body(in directory: TemporaryDirectory) throws -> HTTPBody {
            let file = try directory.file("dog.txt", Data("Rex\0\r\n".utf8))
            return switch self {
            case .json: try .json(["name": "Rex & Ünal"])
            case .form: .form(["name": "Rex & Ünal+1 %", "n": 1])
            case .data: .data(Data([0, 1, 0xFF, 0x0D, 0x0A]), contentType: "image/x-dog")
            case .file: .file(file, contentType: "text/plain")
            case .multipart: .multipart(["name": .text("Rex"), "file": .file(file)])
            }
        }

        /// The bytes that a server receives.
        func expected(_ body: HTTPBody) -> Data {
            switch self {
            case .json: Data(#"{"name":"Rex & Ünal"}"#.utf8)
            case .form: Data("name=Rex+%26+%C3%9Cnal%2B1+%25&n=1".utf8)
            case .data: Data([0, 1, 0xFF, 0x0D, 0x0A])
            case .file: Data("Rex\0\r\n".utf8)
            case .multipart:
                Data(
                    """
                    --B
                    Content-Disposition: form-data; name="name"

                    Rex
                    --B
                    Content-Disposition: form-data; name="file"; filename="dog.txt"
                    Content-Type: application/octet-stream

                    Rex\0

                    --B--

                    """.replacing("\n", with: "\r\n")
                        .replacing("B", with: body.contentType.split(separator: "=").last ?? "")
                        .utf8)
            }
        }
    }

    @Test(arguments: Backend.all())
    func loadAndUploadSendTheSameBody(backend: Backend) async throws {
        let directory = try TemporaryDirectory()
        let bodies = try Kind.allCases.map { ($0, try $0.body(in: directory)) }
        try await backend.run(respond: { Reply(body: .data($0.body)) }) { site in
            for (kind, body) in bodies {
                let steps = ProgressLog()
                let loaded = try await site.client().load(
                    DataRequest(), with: URLRequest(.post, "dogs", body: body))
                let uploaded = try await site.client().upload(
                    DataRequest(), with: URLRequest(.put, "dogs"), from: body
                ) { steps.append($0) }

                let requests = await site.requests.suffix(2)
                #expect(requests.map(\.method) == ["POST", "PUT"])
                for (received, output) in zip(requests, [loaded, uploaded]) {
                    #expect(received.header("Content-Type") == body.contentType)
                    // A request with a file as its body streams it.
                    let isStream = kind == .file && received.method == "POST"
                    let length = isStream ? nil : "\(received.body.count)"
                    #expect(received.header("Content-Length") == length, "\(kind)")
                    #expect(received.body == kind.expected(body))
                    #expect(output == received.body)
                }
                #expect(steps.last?.completedBytes == uploaded.count)
                #expect(steps.last?.totalBytes == uploaded.count)
            }
        }
    }

    // A form and a JSON text are data.
    @Test(arguments: Backend.all(), [Kind.data, .file, .multipart])
    func wholeBodyIsSentAgain(backend: Backend, kind: Kind) async throws {
        let directory = try TemporaryDirectory()
        let body = try kind.body(in: directory)
        let replies = Locked<[Reply]>([
            .text("", status: 503).header("Retry-After", "0"), .text("done"),
            .text("", status: 401), .text("done"), .redirect(307, to: "/end"), .text("done"),
        ])
        try await backend.run(respond: { _ in
            replies.withLock { $0.isEmpty ? .text("too often") : $0.removeFirst() }
        }) { site in
            for _ in 0..<3 {
                let steps = ProgressLog()
                let client = site.client(Retry(baseDelay: .zero), BearerAuthentication(Tokens()))

                let text = try await client.upload(
                    TextRequest(), with: URLRequest(.put, "start"), from: body
                ) { steps.append($0) }

                let content = kind.expected(body)
                #expect(text == "done")
                #expect(await site.requests.suffix(2).map(\.body) == [content, content])
                #expect(steps.last?.completedBytes == content.count)
            }
        }
    }

    @Test(arguments: Backend.all(), ["Rex", ""])
    func bodyStreamIsSentInChunks(backend: Backend, text: String) async throws {
        try await backend.run(respond: { Reply(body: .data($0.body)) }) { site in
            var request = URLRequest(url: site.baseURL)
            request.httpMethod = "POST"
            request.httpBodyStream = InputStream(data: Data(text.utf8))

            let (data, _) = try await site.transport.send(request)

            #expect(data == Data(text.utf8))
            let received = try #require(await site.requests.first)
            #expect(received.header("Content-Length") == nil)
            #expect(received.header("Transfer-Encoding")?.lowercased() == "chunked")
        }
    }

    @Test(arguments: Backend.all(), ["0", "3", "100"])
    func bodyInMemoryHasItsOwnLength(backend: Backend, stated: String) async throws {
        try await backend.run(respond: { Reply(body: .data($0.body)) }) { site in
            let headers = ["Content-Length": stated]
            let body = HTTPBody.data(Data("dog\nGET / HTTP/1.1\n\n".utf8))

            let loaded = try await site.client().load(
                DataRequest(), with: URLRequest(.post, "dogs", headers: headers, body: body))
            let uploaded = try await site.client().upload(
                DataRequest(), with: URLRequest(.post, "dogs", headers: headers), from: body)

            #expect(try [loaded, uploaded] == Array(repeating: body.data(), count: 2))
            #expect(await site.requests.map { $0.header("Content-Length") } == ["20", "20"])
        }
    }

    @Test(arguments: Backend.all(but: [.apple: "The system adds the length."]))
    func requestWithoutABodyHasTheLengthOfItsMethod(backend: Backend) async throws {
        try await backend.run(respond: { _ in .text("") }) { site in
            for method in ["GET", "POST", "PUT", "PATCH"] {
                _ = try await site.load("/dogs", method: method)

                let last = try #require(await site.requests.last)
                #expect(last.header("Content-Length") == (method == "GET" ? nil : "0"))
                #expect(last.method == method)
            }
        }
    }

    @Test(arguments: Backend.all())
    func uploadReportsItsSteps(backend: Backend) async throws {
        try await backend.run(respond: { _ in .text("thanks") }) { site in
            let steps = ProgressLog()

            try await site.client().upload(
                TextRequest(), with: URLRequest(.post, "dogs"), from: .data(Data(count: 150_000))
            ) { steps.append($0) }

            #expect(steps.count > 1)
            #expect(steps.last?.completedBytes == 150_000)
        }
    }

    @Test(arguments: Backend.all(but: [.recording: "Its search for secrets takes half a minute."]))
    func largeBodyIsEchoed(backend: Backend) async throws {
        // More than a stream keeps in memory.
        let large = Data.periodic(1_500_000)
        try await backend.run(respond: { Reply(body: .data($0.body)) }) { site in
            let uploaded = try await site.client().upload(
                DataRequest(), with: URLRequest(.post, "dogs"), from: .data(large))
            let sent = try await site.client().load(
                DataRequest(), with: URLRequest(.post, "dogs", body: .data(large)))

            #expect(uploaded == large)
            #expect(sent == large)
        }
    }

    @Test(arguments: Backend.all(but: [.recording: "It has no load that is canceled."]))
    func downloadResumesAfterACancellation(backend: Backend) async throws {
        let content = Data.periodic(100_000)
        let directory = try TemporaryDirectory()
        let file = directory.url("dog")
        let (chunks, sender) = AsyncStream.makeStream(of: Data.self)
        sender.yield(content.prefix(40_000))
        try await backend.run(respond: { request in
            guard request.header("Range") == "bytes=40000-",
                request.header("If-Range") == "\"1\""
            else { return Reply(body: .chunks(chunks)).header("ETag", "\"1\"") }
            return Reply(status: 206, body: .data(content.dropFirst(40_000)))
                .header("ETag", "\"1\"")
                .header("Content-Range", "bytes 40000-99999/100000")
        }) { site in
            let (reached, mark) = AsyncStream.makeStream(of: Never.self)
            // A transport that is no session may add credentials, so the account has to be known.
            let client = site.client(BearerAuthentication(Account()))
            let first = Task {
                try await client.download(
                    DataRequest(), with: URLRequest(.get, "dog"), to: file
                ) { if $0.completedBytes == 40_000 { mark.finish() } }
            }
            for await _ in reached {}
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }

            try await client.download(DataRequest(), with: URLRequest(.get, "dog"), to: file)

            #expect(try Data(contentsOf: file) == content)
            let requests = await site.requests
            #expect(requests.map { $0.header("Range") } == [nil, "bytes=40000-"])
            #expect(requests.allSatisfy { $0.header("Accept-Encoding") == "identity" })
            sender.finish()
        }
    }
}

/// A provider of one token of one account.
private struct Account: AccountTokenProvider {
    func accountToken() -> (token: String, account: String)? { ("token", "rex") }
}
