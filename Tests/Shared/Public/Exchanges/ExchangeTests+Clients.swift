import APIKit
import Foundation
import Testing

extension ExchangeTests {
    @Test(
        arguments: Backend.all(but: [.recording: "Equal requests at the same time have no order."]))
    func concurrentRequestsRefreshATokenOnce(backend: Backend) async throws {
        try await backend.run(respond: { request in
            request.header("Authorization") == "Bearer fresh"
                ? .text("hello") : .text("expired", status: 401)
        }) { site in
            let tokens = Tokens()
            let client = site.client(BearerAuthentication(tokens))

            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        try await client.load(TextRequest(), with: URLRequest(.get, "dogs"))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(texts == Array(repeating: "hello", count: 12))
            #expect(await tokens.refreshes == 1)
        }
    }

    @Test(arguments: Backend.all())
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

    @Test(arguments: Backend.all())
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

    @Test(arguments: Backend.all())
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

    @Test(arguments: Backend.withCookies)
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

    @Test(arguments: Backend.withCookies)
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

    @Test(arguments: Backend.withCookies)
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

    @Test(
        arguments: Backend.all(but: [
            .transport: "A mock that is a transport keeps no cookies.",
            .apple: "The system keeps the cookies.",
            .asyncHTTPClient: "On Linux, the system's storage ignores the path of a cookie.",
        ]))
    func cookieIsSentOnlyToItsPath(backend: Backend) async throws {
        try await backend.run(respond: { request in
            switch request.path {
            case "/a/set":
                .text("").header("set-cookie", "old=1; Path=/a")
            case "/a/start":
                .redirect(to: "/b").header("Set-Cookie", "new=1; Path=/b")
                    .header("Set-Cookie", "other=1; Path=/c")
            default: .text(request.cookies)
            }
        }) { site in
            _ = try await site.load("/a/set")
            #expect(try await site.load("/a").value == "old: 1")
            #expect(try await site.load("/a/start").value == "new: 1")
            #expect(try await site.load("/a/end").value == "old: 1")
        }
    }

    @Test(arguments: Backend.all())
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

    @Test(arguments: Backend.all(but: [.recording: "It has no load that is canceled."]))
    func canceledTaskSendsNoRequest(backend: Backend) async throws {
        try await backend.run(respond: { _ in .text("hello") }) { site in
            let calls =
                [
                    { _ = try await site.load("/dogs") },
                    { _ = try await site.transport.stream(URLRequest(url: site.baseURL)) },
                ] as [@Sendable () async throws -> Void]
            for call in calls {
                let task = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    try await call()
                }
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            #expect(await site.requests.isEmpty)
        }
    }

    @Test(arguments: Backend.all(but: [.recording: "It has no load that is canceled."]))
    func sessionLoadsAfterACanceledRequest(backend: Backend) async throws {
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

extension Backend {
    static let withCookies = all(but: [
        .transport: "A mock that is a transport keeps no cookies.",
        .apple: "The system keeps the cookies.",
    ])
}

/// A provider whose first token is refused.
actor Tokens: TokenProvider {
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
