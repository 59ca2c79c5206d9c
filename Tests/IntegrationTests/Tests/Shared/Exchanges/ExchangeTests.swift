import APIKit
import Foundation
import Testing

/// Requests and responses that are the same with each kind of server.
@Suite(.timeLimit(.minutes(10))) struct ExchangeTests {
    @Test(
        arguments: Backend.allCases,
        [200, 201, 202, 203, 206, 226, 299, 300, 400, 401, 404, 410, 418, 429, 500, 503, 599])
    func responseHasItsStatusHeadAndBody(backend: Backend, status: Int) async throws {
        try await backend.run(respond: { _ in
            .text("body", status: status).header("Content-Type", "text/x-dog; charset=utf-8")
                .header("X-Dog", "Rex")
        }) { site in
            let (data, response) = try await site.transport.send(
                URLRequest(url: site.baseURL.appending(path: "dogs")))

            let http = try #require(response as? HTTPURLResponse)
            #expect(http.statusCode == status)
            #expect(data == Data("body".utf8))
            #expect(http.url == site.baseURL.appending(path: "dogs"))
            #expect(http.value(forHTTPHeaderField: "x-dog") == "Rex")
            #expect(http.mimeType == "text/x-dog")
            #expect(http.textEncodingName == "utf-8")
            #expect(http.expectedContentLength == 4)
            #expect(await site.lines == ["GET /dogs"])
        }
    }

    @Test(arguments: Backend.allCases, ["Basic realm=\"dogs\"", "Bearer"])
    func challengeWithoutACredentialReturnsThe401(
        backend: Backend, challenge: String
    ) async throws {
        try await backend.run(respond: { _ in
            .text("who?", status: 401).header("WWW-Authenticate", challenge)
        }) { site in
            let url = site.baseURL.appending(path: "dogs")

            let (data, response) = try await site.transport.send(URLRequest(url: url))

            let http = try #require(response as? HTTPURLResponse)
            #expect(http.statusCode == 401)
            #expect(http.url == url)
            #expect(http.value(forHTTPHeaderField: "WWW-Authenticate") == challenge)
            #expect(data == Data("who?".utf8))
        }
    }

    @Test(arguments: Backend.allCases, [200, 201, 204, 300, 304, 400, 404, 500, 503])
    func clientAcceptsOnly2xxStatuses(backend: Backend, status: Int) async throws {
        let text = [204, 304].contains(status) ? "" : "because"
        try await backend.run(respond: { _ in .text(text, status: status) }) { site in
            let result = await Result { try await site.load("/dogs") }

            if 200..<300 ~= status {
                let response = try result.get()
                #expect(response.statusCode == status)
                #expect(response.value == text)
            } else {
                let error = #expect(throws: APIError.self) { try result.get() }
                #expect(error?.kind == .status(status))
                #expect(error?.body == Data(text.utf8))
            }
        }
    }

    @Test(arguments: Backend.allCases, [204, 304])
    func statusWithoutContentHasNoBody(backend: Backend, status: Int) async throws {
        try await backend.run(respond: { _ in
            Reply(status: status, body: .data(Data())).header("ETag", "\"1\"")
        }) { site in
            let (data, response) = try await site.transport.send(URLRequest(url: site.baseURL))

            #expect((response as? HTTPURLResponse)?.statusCode == status)
            #expect(
                (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag") == "\"1\"")
            #expect(data.isEmpty)
        }
    }

    @Test(arguments: Backend.allCases, [200, 404])
    func headRequestReceivesNoBody(backend: Backend, status: Int) async throws {
        try await backend.run(respond: { _ in
            .text("12345", status: status).header("X-Dog", "Rex")
        }) { site in
            var request = URLRequest(url: site.baseURL)
            request.httpMethod = "HEAD"

            let (data, response) = try await site.transport.send(request)

            let http = try #require(response as? HTTPURLResponse)
            #expect(http.statusCode == status)
            #expect(http.value(forHTTPHeaderField: "X-Dog") == "Rex")
            #expect(data.isEmpty)
        }
    }

    @Test(arguments: Backend.allCases, [300, 301, 302, 303, 304, 307, 308])
    func redirectWithoutALocationIsReturned(backend: Backend, status: Int) async throws {
        try await backend.run(respond: { _ in .text("", status: status) }) { site in
            let error = await #expect(throws: APIError.self) { try await site.load("/dogs") }

            #expect(error?.kind == .status(status))
            #expect(await site.lines == ["GET /dogs"])
        }
    }

    @Test(arguments: Backend.allCases, ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    func requestHasItsMethodTargetAndHeaders(backend: Backend, method: String) async throws {
        try await backend.run(respond: { .text($0.header("X-Dog") ?? "none") }) { site in
            let target = "/a%2Fb/%C3%A9;c=d?q=1+2;3&q=%2B&empty=&flag"

            let response = try await site.load(
                target, method: method, headers: ["x-dog": "Ünal, Rex"])

            #expect(response.value == "Ünal, Rex")
            #expect(await site.lines == ["\(method) \(target)"])
        }
    }

    @Test(arguments: Backend.allCases, [1, 2, 7, 64])
    func chunksOfABodyAreJoined(backend: Backend, count: Int) async throws {
        let chunks = (0..<count).map { String(repeating: "\($0) ", count: 1 + $0 * 50) }
        try await backend.run(respond: { _ in .chunks(chunks) }) { site in
            #expect(try await site.load("/whole").value == chunks.joined())

            let stream = try await site.client().stream(
                TextRequest(), with: URLRequest(.get, "stream"))
            #expect(try await stream.value.data() == Data(chunks.joined().utf8))
        }
    }

    @Test(arguments: Backend.withoutRecording)
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

    @Test(arguments: Backend.allCases)
    func concurrentRequestsReceiveTheirOwnResponses(backend: Backend) async throws {
        try await backend.run(respond: { .text($0.target) }) { site in
            let targets = (0..<500).map { "/dogs/\($0)?n=\($0)" }

            let texts = try await withThrowingTaskGroup(of: (String, String).self) { group in
                for target in targets {
                    group.addTask { (target, try await site.load(target).value) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }

            #expect(texts == Dictionary(uniqueKeysWithValues: zip(targets, targets)))
        }
    }
}

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

    @Test(arguments: Backend.allCases, Kind.allCases)
    func loadAndUploadSendTheSameBody(backend: Backend, kind: Kind) async throws {
        let directory = try TemporaryDirectory()
        let body = try kind.body(in: directory)
        try await backend.run(respond: { Reply(body: .data($0.body)) }) { site in
            let steps = ProgressLog()
            let loaded = try await site.client().load(
                DataRequest(), with: URLRequest(.post, "dogs", body: body))
            let uploaded = try await site.client().upload(
                DataRequest(), with: URLRequest(.put, "dogs"), from: body
            ) { steps.append($0) }

            let requests = await site.requests
            #expect(requests.map(\.method) == ["POST", "PUT"])
            for (received, output) in zip(requests, [loaded, uploaded]) {
                #expect(received.header("Content-Type") == body.contentType)
                // A request with a file as its body streams it.
                let isStream = kind == .file && received.method == "POST"
                let length = isStream ? nil : "\(received.body.count)"
                #expect(received.header("Content-Length") == length)
                #expect(received.body == kind.expected(body))
                #expect(output == received.body)
            }
            #expect(steps.last?.completedBytes == uploaded.count)
            #expect(steps.last?.totalBytes == uploaded.count)
        }
    }

    @Test(arguments: Backend.allCases, ["Rex", ""])
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

    @Test(arguments: Backend.allCases, [HTTPMethod.get, .post, .put, .patch])
    func requestWithoutABodyHasTheLengthOfItsMethod(
        backend: Backend, method: HTTPMethod
    ) async throws {
        try await backend.run(respond: { _ in .text("") }) { site in
            _ = try await site.load("/dogs", method: method.rawValue)

            let lengths = await site.requests.map { $0.header("Content-Length") }
            #expect(lengths == [method == .get ? nil : "0"])
        }
    }

    @Test(arguments: Backend.allCases)
    func uploadReportsItsSteps(backend: Backend) async throws {
        try await backend.run(respond: { _ in .text("thanks") }) { site in
            let steps = ProgressLog()

            try await site.client().upload(
                TextRequest(), with: URLRequest(.post, "dogs"), from: .data(Data(count: 3_000_000))
            ) { steps.append($0) }

            #expect(steps.count > 1)
            #expect(steps.last?.completedBytes == 3_000_000)
        }
    }

    @Test(arguments: Backend.allCases)
    func largeBodyIsEchoed(backend: Backend) async throws {
        // More than a stream keeps in memory.
        let large = Data((0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await backend.run(respond: { Reply(body: .data($0.body)) }) { site in
            let uploaded = try await site.client().upload(
                DataRequest(), with: URLRequest(.post, "dogs"), from: .data(large))
            let sent = try await site.client().load(
                DataRequest(), with: URLRequest(.post, "dogs", body: .data(large)))

            #expect(uploaded == large)
            #expect(sent == large)
        }
    }

    @Test(arguments: Backend.withoutRecording)
    func downloadResumesAfterACancellation(backend: Backend) async throws {
        let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
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
            let ranges = await site.requests.map { $0.header("Range") }
            #expect(ranges == [nil, "bytes=40000-"])
            sender.finish()
        }
    }
}

/// A provider of one token of one account.
private struct Account: AccountTokenProvider {
    func accountToken() -> (token: String, account: String)? { ("token", "rex") }
}

extension ExchangeTests {
    @Test(arguments: Backend.withoutRecording)
    func concurrentRequestsRefreshATokenOnce(backend: Backend) async throws {
        try await backend.run(respond: { request in
            request.header("Authorization") == "Bearer fresh"
                ? .text("hello") : .text("expired", status: 401)
        }) { site in
            let tokens = Tokens()
            let client = site.client(BearerAuthentication(tokens))

            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        try await client.load(TextRequest(), with: URLRequest(.get, "dogs"))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(texts == Array(repeating: "hello", count: 50))
            #expect(await tokens.refreshes == 1)
        }
    }

    @Test(arguments: Backend.allCases)
    func cachedResponseIsRevalidatedWithItsEntityTag(backend: Backend) async throws {
        try await backend.run(respond: { request in
            request.header("If-None-Match") == "\"1\""
                ? .text("", status: 304).header("ETag", "\"1\"")
                : .text("body").header("ETag", "\"1\"")
        }) { site in
            let client = site.client(ETagCache())

            for _ in 0..<3 {
                let response = try await client.response(
                    to: TextRequest(), with: URLRequest(.get, "dogs"))
                #expect(response.value == "body")
                #expect(response.statusCode == 200)
            }

            #expect(
                await site.requests.map { $0.header("If-None-Match") } == [nil, "\"1\"", "\"1\""])
        }
    }

    @Test(arguments: Backend.allCases)
    func eventSourceReconnectsWithTheLastEventID(backend: Backend) async throws {
        try await backend.run(respond: { request in
            switch request.header("Last-Event-ID") {
            case nil:
                .chunks([
                    "retry: 1\nid: 1\nda", "ta: one\n\n: comment\nevent: x\ndata: two\n\n",
                ]).header("Content-Type", "text/event-stream")
            case "1":
                .chunks(["id: 2\r\ndata: thr", "ee\r\n\r\n"])
                    .header("Content-Type", "text/event-stream")
            default: .text("", status: 204)
            }
        }) { site in
            var events: [ServerSentEvent] = []
            let source = site.client().reconnectingEvents(
                of: TextRequest(), with: try URLRequest(.get, "dogs"))
            for try await event in source { events.append(event) }

            #expect(events.map(\.data) == ["one", "two", "three"])
            #expect(events.map(\.type) == ["message", "x", "message"])
            #expect(await site.requests.map { $0.header("Last-Event-ID") } == [nil, "1", "2"])
        }
    }

    @Test(arguments: Backend.allCases)
    func linesOfJSONAreDecoded(backend: Backend) async throws {
        try await backend.run(respond: { _ in
            .chunks([#"{"name":"R"#, "ex\"}\n\n{\"name\":", "\"Ünal\"}"])
        }) { site in
            let stream = try await site.client().stream(
                TextRequest(), with: URLRequest(.get, "dogs")
            ).value

            let lines = stream.jsonLines(of: [String: String].self)
            let names = try await lines.reduce(into: []) { $0.append($1["name"]) }

            #expect(names == ["Rex", "Ünal"])
        }
    }

    @Test(arguments: Backend.allCases)
    func pagesFollowLinkHeaders(backend: Backend) async throws {
        try await backend.run(respond: { request in
            switch request.target {
            case "/dogs": .text("a").header("Link", "</dogs?page=2>; rel=\"next\"")
            case "/dogs?page=2":
                .text("b").header("Link", "<?page=3&q=a,b>; rel=\"prev next\", </dogs>; rel=first")
            default: .text("c").header("Link", "</dogs>; rel=first")
            }
        }) { site in
            var pages: [String] = []
            let request = try URLRequest(.get, "dogs")
            for try await page in site.client().pages(of: LinkedRequest(), from: request) {
                pages.append(page)
            }

            #expect(pages == ["a", "b", "c"])
            #expect(
                await site.lines == ["GET /dogs", "GET /dogs?page=2", "GET /dogs?page=3&q=a,b"])
        }
    }

    @Test(arguments: Backend.allCases)
    func sessionSendsCookiesUntilTheyExpire(backend: Backend) async throws {
        try await backend.run(respond: { request in
            switch request.path {
            case "/login":
                .redirect(to: "/home").header("Set-Cookie", "dog=Rex; Path=/")
            case "/dogs/set":
                .text("").header("Set-Cookie", "bone=1; Path=/")
                    .header(
                        "Set-Cookie", "gone=1; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT")
            default: .text(request.cookies)
            }
        }) { site in
            #expect(try await site.load("/home").value == "none")
            #expect(try await site.load("/login").value == "dog: Rex")
            _ = try await site.load("/dogs/set")
            let sent = try await site.load("/dogs/1").value
            #expect(Set(sent.components(separatedBy: "; ")) == ["dog: Rex", "bone: 1"])
        }
    }

    @Test(arguments: Backend.allCases)
    func redirectThatRemovesTheCookiesSendsNone(backend: Backend) async throws {
        try await backend.run(respond: { request in
            switch request.path {
            case "/login": .text("").header("Set-Cookie", "dog=Rex; Path=/")
            case "/logout":
                .redirect(to: "/home").header(
                    "Set-Cookie", "dog=; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT")
            default: .text(request.cookies)
            }
        }) { site in
            _ = try await site.load("/login")
            #expect(try await site.load("/home").value == "dog: Rex")

            #expect(try await site.load("/logout").value == "none")
            let own = try await site.load("/logout", headers: ["Cookie": "cat=Tom"])
            #expect(own.value == "cat: Tom")
        }
    }

    @Test(arguments: Backend.allCases)
    func requestThatRefusesCookiesNeitherSendsNorStoresAny(backend: Backend) async throws {
        try await backend.run(respond: { request in
            let sent = request.cookies
            return request.path == "/start"
                ? .redirect(to: "/end?\(sent)").header("Set-Cookie", "dog=Max; Path=/")
                : .text(sent).header("Set-Cookie", "dog=\(request.path.dropFirst()); Path=/")
        }) { site in
            var refusing = URLRequest(url: site.baseURL.appending(path: "start"))
            refusing.httpShouldHandleCookies = false

            _ = try await site.load("/rex")
            let response = try await site.client().response(to: TextRequest(), with: refusing)
            let stream = try await site.client().stream(TextRequest(), with: refusing)

            #expect(response.value == "none")
            #expect(response.http.url?.query == "none")
            #expect(try await stream.value.data() == Data("none".utf8))
            #expect(try await site.load("/end").value == "dog: rex")
            refusing.setValue("cat=Tom", forHTTPHeaderField: "Cookie")
            #expect(
                try await site.client().load(TextRequest(), with: refusing) == "cat: Tom")
        }
    }

    @Test(arguments: Backend.allCases)
    func requestIsRetriedAfterA503(backend: Backend) async throws {
        let attempts = Locked(0)
        try await backend.run(respond: { _ in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            return attempt < 3
                ? .text("later", status: 503).header("Retry-After", "0") : .text("hello")
        }) { site in
            let text = try await site.client(Retry()).load(
                TextRequest(), with: URLRequest(.get, "dogs"))

            #expect(text == "hello")
            #expect(await site.requests.count == 3)
        }
    }

    @Test(arguments: Backend.withoutRecording)
    func sessionLoadsAfterACancelledRequest(backend: Backend) async throws {
        let (arrival, isArriving) = AsyncStream.makeStream(of: Never.self)
        let (chunks, sender) = AsyncStream.makeStream(of: Data.self)
        try await backend.run(respond: { request in
            guard request.path == "/slow" else { return .text("hello") }
            isArriving.finish()
            return Reply(body: .chunks(chunks))
        }) { site in
            let load = Task { try await site.load("/slow") }
            for await _ in arrival {}

            load.cancel()

            await #expect(throws: CancellationError.self) { try await load.value }
            let next = try await site.load("/dogs")
            #expect(next.value == "hello")
            sender.finish()
        }
    }
}

private actor Tokens: TokenProvider {
    private(set) var refreshes = 0
    private var current = "old"

    func token() -> String? { current }

    func refresh(replacing token: String) -> String? {
        refreshes += 1
        current = "fresh"
        return current
    }
}

/// A paged request that reads the next URL from the `Link` header field.
private struct LinkedRequest: PagedAPIRequest {
    typealias ResponseDataType = String

    func makeRequest(from request: URLRequest) -> URLRequest { request }

    func nextInput(
        after response: APIResponse<String>, from request: URLRequest
    ) -> URLRequest? {
        response.http.link(relation: "next").map { URLRequest(url: $0) }
    }
}

extension ExchangeTests {
    /// The ways in which a server fails.
    enum Breakage: CaseIterable {
        case noResponse, halfABody, noBody, halfAChunk, reset, refused, silence

        #if !canImport(FoundationNetworking)
        // The classic loader takes a lost connection for the end of a chunked body (FB24495140).
        static let allCases: [Self] = [
            .noResponse, .halfABody, .noBody, .reset, .refused, .silence,
        ]
        #endif

        /// The code of the `URLError` that the client throws.
        var code: URLError.Code {
            switch self {
            case .refused: .cannotConnectToHost
            case .silence: .timedOut
            default: .networkConnectionLost
            }
        }

        /// The part of the body before the failure, or `nil` without a response head.
        var start: String? {
            switch self {
            case .halfABody, .halfAChunk, .reset: "hello"
            case .noBody: ""
            case .noResponse, .refused, .silence: nil
            }
        }

        var served: RawServer.Reply {
            // Without a type, CFNetwork holds back the head until it has 512 bytes to guess it from.
            let head = "HTTP/1.1 200 OK\r\nContent-Type: image/x-dog\r\n"
            return switch self {
            case .noResponse: .close(after: "")
            case .halfABody: .close(after: head + "Content-Length: 10\r\n\r\nhello")
            case .noBody: .close(after: head + "Content-Length: 10\r\n\r\n")
            case .halfAChunk:
                .close(after: head + "Transfer-Encoding: chunked\r\n\r\na\r\nhello")
            case .reset: .reset(after: head + "Content-Length: 10\r\n\r\nhello")
            case .refused, .silence: .silence
            }
        }

        var timeout: TimeInterval { self == .silence ? 1 : 20 }

        /// Runs a closure with a transport and a request to a real server that fails in this way.
        func run<Output>(
            with transport: any HTTPTransport, over version: HTTPVersion = .http1,
            while body: (any HTTPTransport, URLRequest) async throws -> Output
        ) async throws -> Output {
            guard self != .refused else {
                let port = try RefusingPort()
                defer { withExtendedLifetime(port) {} }
                return try await body(transport, URLRequest(url: port.url))
            }
            return try await RawServer.run(over: version, respond: { _ in served }) { server in
                var request = try server.request("/dogs")
                request.timeoutInterval = timeout
                return try await body(transport, request)
            }
        }
    }

    @Test(arguments: Backend.withoutRecording, Breakage.allCases)
    func brokenResponseFailsALoad(backend: Backend, breakage: Breakage) async throws {
        try await breakage.run(on: backend) { transport, request in
            let error = await #expect(throws: APIError.self) { try await transport.load(request) }

            #expect(error?.kind == .transport)
            #expect(error?.urlError?.code == breakage.code)
        }
    }

    // Excludes a reset, because the system decides which bytes arrive before it.
    @Test(arguments: Backend.withoutRecording, Breakage.allCases.filter { $0 != .reset })
    func streamYieldsTheBytesBeforeAFailure(backend: Backend, breakage: Breakage) async throws {
        try await breakage.run(on: backend) { transport, request in
            var received = Data()
            var hasHead = false
            let error = await #expect(throws: APIError.self) {
                let response = try await APIClient(transport: transport).stream(
                    TextRequest(), with: request)
                hasHead = true
                for try await chunk in response.value { received += chunk }
            }

            #expect(error?.urlError?.code == breakage.code)
            #expect(hasHead == (breakage.start != nil))
            #expect(received == Data((breakage.start ?? "").utf8))
        }
    }
}

extension ExchangeTests {
    @Test(arguments: Backend.allCases, [301, 302, 303, 307, 308])
    func statusDecidesTheMethodAndBodyOfARedirect(backend: Backend, status: Int) async throws {
        for (method, body) in [
            ("GET", nil), ("HEAD", nil), ("DELETE", nil), ("POST", "Rex"), ("PUT", "Rex"),
            ("PATCH", "Rex"), ("DELETE", "Rex"),
        ] {
            try await backend.run(respond: { request in
                request.path == "/start"
                    ? .redirect(status, to: "/end") : .text("\(request.method) \(request.text)")
            }) { site in
                var request = URLRequest(url: site.baseURL.appending(path: "start"))
                request.httpMethod = method
                if let body {
                    request.httpBody = Data(body.utf8)
                    request.setValue("text/x-dog", forHTTPHeaderField: "Content-Type")
                }
                request.setValue("kept", forHTTPHeaderField: "X-Dog")

                let response = try await site.transport.load(request)

                let isGet =
                    method == "GET" || (status == 303 && method != "HEAD")
                    || (status < 303 && method == "POST")
                let kept = isGet ? nil : body
                let (next, last) = (isGet ? "GET" : method, try #require(await site.requests.last))
                #expect(response.value == (method == "HEAD" ? "" : "\(next) \(kept ?? "")"))
                #expect(response.http.url == site.baseURL.appending(path: "end"))
                #expect(last.header("Content-Type") == kept.map { _ in "text/x-dog" })
                #expect(last.header("X-Dog") == "kept")
                #expect(await site.lines == ["\(method) /start", "\(next) /end"])
            }
        }
    }

    @Test(arguments: Backend.allCases, [true, false])
    func redirectKeepsCredentialsOnlyAtTheSameOrigin(backend: Backend, leaves: Bool) async throws {
        let credentials = [
            "Authorization": "Bearer x", "Cookie": "a=b", "Proxy-Authorization": "Basic x",
        ]
        for status in [301, 302, 303, 307, 308] {
            let target = Locked("")
            try await backend.run(respond: { request in
                request.path == "/start"
                    ? .redirect(status, to: target.withLock { $0 }) : .text("there")
            }) { site in
                let end = (leaves ? site.other : site.baseURL).appending(path: "end")
                target.withLock { $0 = end.absoluteString }

                let response = try await site.load(
                    "/start", headers: credentials.merging(["X-Dog": "Rex"]) { $1 })

                let last = try #require(await site.requests.last)
                #expect(response.value == "there")
                #expect(response.http.url == end)
                for (name, value) in credentials {
                    #expect(last.header(name) == (leaves ? nil : value))
                }
                #expect(last.header("X-Dog") == "Rex")
            }
        }
    }

    @Test(
        arguments: Backend.allCases,
        [
            ("next", "/deep/next"), ("/abs", "/abs"), ("../up", "/up"), ("?q=1", "/deep/start?q=1"),
            ("./", "/deep/"), ("next?a=%20b+c", "/deep/next?a=%20b+c"), ("/a%2Fb", "/a%2Fb"),
            ("/end#bone", "/end"),
        ])
    func locationIsResolved(
        backend: Backend, place: (location: String, target: String)
    ) async throws {
        try await backend.run(respond: { request in
            request.target == "/deep/start" ? .redirect(to: place.location) : .text("there")
        }) { site in
            let response = try await site.load("/deep/start")

            let start = site.baseURL.appending(path: "deep/start")
            #expect(response.value == "there")
            #expect(
                response.http.url == URL(string: place.location, relativeTo: start)?.absoluteURL)
            #expect(await site.lines == ["GET /deep/start", "GET \(place.target)"])
        }
    }

    @Test(arguments: Backend.allCases, [(303, ["Rex", ""]), (307, ["Rex"])])
    func redirectNeverSendsAStreamAgain(
        backend: Backend, example: (status: Int, bodies: [String])
    ) async throws {
        try await backend.run(respond: { request in
            request.path == "/end" ? .text("there") : .redirect(example.status, to: "/end")
        }) { site in
            var request = URLRequest(url: site.baseURL)
            request.httpMethod = "POST"
            request.httpBodyStream = InputStream(data: Data("Rex".utf8))

            let (_, response) = try await site.transport.send(request)

            let isFollowed = example.bodies.count == 2
            #expect((response as? HTTPURLResponse)?.statusCode == (isFollowed ? 200 : 307))
            #expect(await site.requests.map(\.text) == example.bodies)
        }
    }

    @Test(arguments: Backend.withoutRecording)
    func redirectLoopFailsAfter16Redirects(backend: Backend) async throws {
        try await backend.run(respond: { _ in .redirect(to: "/again") }) { site in
            let error = await #expect(throws: APIError.self) { try await site.load("/start") }

            #expect(error?.kind == .transport)
            #expect(error?.urlError?.code == .httpTooManyRedirects)
            #expect(await site.requests.count == 17)
        }
    }

    @Test(
        arguments: Backend.allCases,
        ["ftp://127.0.0.1/dogs", "file:///etc/hostname", "mailto:rex@example.com"])
    func redirectToAnotherSchemeIsReturned(backend: Backend, location: String) async throws {
        try await backend.run(respond: { _ in .redirect(to: location) }) { site in
            let error = await #expect(throws: APIError.self) { try await site.load("/start") }

            #expect(error?.kind == .status(302))
            #expect(error?.body == Data("moved".utf8))
            #expect(error?.response?.value(forHTTPHeaderField: "Location") == location)
            #expect(await site.requests.count == 1)
        }
    }

    @Test(arguments: Backend.allCases)
    func neverPolicyReturnsTheRedirect(backend: Backend) async throws {
        try await backend.run(redirects: .never, respond: { _ in .redirect(to: "/end") }) { site in
            let (data, response) = try await site.transport.send(URLRequest(url: site.baseURL))

            #expect((response as? HTTPURLResponse)?.statusCode == 302)
            #expect(data == Data("moved".utf8))
            #expect(await site.requests.count == 1)
        }
    }
}
