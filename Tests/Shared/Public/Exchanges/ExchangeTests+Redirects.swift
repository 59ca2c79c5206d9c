import APIKit
import Foundation
import Testing

extension ExchangeTests {
    @Test(arguments: Backend.all(), [301, 302, 303, 307, 308])
    func statusDecidesTheMethodAndBodyOfARedirect(backend: Backend, status: Int) async throws {
        try await backend.run(respond: { request in
            request.path == "/start"
                ? .redirect(status, to: "/end") : .text("\(request.method) \(request.text)")
        }) { site in
            let rows: [(String, String?)] = [
                ("POST", "Rex"), ("PUT", "Rex"), ("PATCH", "Rex"), ("DELETE", "Rex"), ("HEAD", nil),
            ]
            // Two rows tell the rule of 301 for 302 and that of 307 for 308 from the other rules.
            for (method, body) in [302, 308].contains(status) ? Array(rows.prefix(2)) : rows {
                var request = URLRequest(url: site.baseURL.appending(path: "start"))
                request.httpMethod = method
                if let body {
                    request.httpBody = Data(body.utf8)
                    request.setValue("text/x-dog", forHTTPHeaderField: "Content-Type")
                }
                request.setValue("kept", forHTTPHeaderField: "X-Dog")

                let response = try await site.transport.load(request)

                let isGet =
                    status == 303 ? method != "HEAD" : status < 303 && method == "POST"
                let kept = isGet ? nil : body
                let (next, last) = (isGet ? "GET" : method, try #require(await site.requests.last))
                #expect(response.value == (method == "HEAD" ? "" : "\(next) \(kept ?? "")"))
                #expect(response.http.url == site.baseURL.appending(path: "end"))
                #expect(last.header("Content-Type") == kept.map { _ in "text/x-dog" })
                #expect(last.header("X-Dog") == "kept")
                #expect(await site.lines.suffix(2) == ["\(method) /start", "\(next) /end"])
            }
        }
    }

    @Test(arguments: Backend.all(), [true, false])
    func redirectKeepsCredentialsOnlyAtTheSameOrigin(backend: Backend, leaves: Bool) async throws {
        let credentials = [
            "Authorization": "Bearer x", "Cookie": "a=b", "Proxy-Authorization": "Basic x",
            "X-Ticket": "q8Zt3kLw9Xv2Rb7Nc1Ym",
        ]
        // A port keeps the fields of a connection to itself.
        let taken: [Backend: String] = [
            .port: "Proxy-Authorization", .recording: "Proxy-Authorization",
        ]
        let target = Locked("")
        try await backend.run(respond: { request in
            guard let status = Int(request.path.dropFirst()) else { return .text("there") }
            return .redirect(status, to: target.withLock { $0 })
        }) { site in
            let end = (leaves ? site.other : site.baseURL).appending(path: "end")
            target.withLock { $0 = end.absoluteString }
            for status in leaves ? [301, 302, 303, 307, 308] : [303, 307] {
                let response = try await site.load(
                    "/\(status)", headers: credentials.merging(["X-Dog": "Rex"]) { $1 })

                let last = try #require(await site.requests.last)
                #expect(response.value == "there")
                #expect(response.http.url == end)
                for (name, value) in credentials where name != taken[backend] {
                    #expect(last.header(name) == (leaves ? nil : value))
                }
                #expect(last.header("X-Dog") == "Rex")
            }
        }
    }

    @Test(arguments: Backend.all()) func locationIsResolved(backend: Backend) async throws {
        try await backend.run(respond: { request in
            request.target == "/deep/start"
                ? .redirect(to: request.header("X-Location") ?? "") : .text("there")
        }) { site in
            let start = site.baseURL.appending(path: "deep/start")
            for (location, target) in [
                ("../up", "/up"), ("?q=1", "/deep/start?q=1"), ("./", "/deep/"),
                ("next?a=%20b+c", "/deep/next?a=%20b+c"), ("/a%2Fb", "/a%2Fb"),
                ("/end#bone", "/end"),
            ] {
                let response = try await site.load(
                    "/deep/start", headers: ["X-Location": location])

                #expect(response.value == "there")
                #expect(response.http.url == URL(string: location, relativeTo: start)?.absoluteURL)
                #expect(await site.lines.suffix(2) == ["GET /deep/start", "GET \(target)"])
            }
        }
    }

    @Test(arguments: Backend.all(), [(303, ["Rex", ""]), (307, ["Rex"])])
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

    @Test(arguments: Backend.all(but: [.recording: "It has no load that fails."]))
    func redirectLoopFailsAfter16Redirects(backend: Backend) async throws {
        try await backend.run(respond: { _ in .redirect(to: "/again") }) { site in
            let error = await #expect(throws: APIError.self) { try await site.load("/start") }

            #expect(error?.kind == .transport)
            #expect(error?.urlError?.code == .httpTooManyRedirects)
            #expect(await site.requests.count == 17)
        }
    }

    @Test(arguments: Backend.all())
    func redirectToAnotherSchemeOrToNothingIsReturned(backend: Backend) async throws {
        let locations = [
            "ftp://127.0.0.1/dogs", "file:///etc/hostname", "mailto:rex@example.com", "",
        ]
        try await backend.run(respond: { .redirect(to: locations[$0.number]) }) { site in
            for (index, location) in locations.enumerated() {
                let error = await #expect(throws: APIError.self) {
                    try await site.load("/\(index)")
                }

                #expect(error?.kind == .status(302))
                #expect(error?.body == Data("moved".utf8))
                #expect(error?.response?.value(forHTTPHeaderField: "Location") == location)
                #expect(await site.requests.count == index + 1)
            }
        }
    }

    @Test(arguments: Backend.all(but: [.transport: "A mock that is a transport has no policy."]))
    func neverPolicyReturnsTheRedirect(backend: Backend) async throws {
        try await backend.run(redirects: .never, respond: { _ in .redirect(to: "/end") }) { site in
            let (data, response) = try await site.transport.send(URLRequest(url: site.baseURL))

            #expect((response as? HTTPURLResponse)?.statusCode == 302)
            #expect(data == Data("moved".utf8))
            #expect(await site.requests.count == 1)
        }
    }

    @Test(arguments: Backend.all(but: [.transport: "A mock that is a transport has no policy."]))
    func sameOriginPolicyFollowsOnlyToTheSameOrigin(backend: Backend) async throws {
        let target = Locked("")
        try await backend.run(
            redirects: .sameOrigin,
            respond: { request in
                .redirect(to: request.path == "/start" ? "/next" : target.withLock { $0 })
            }
        ) { site in
            target.withLock { $0 = site.other.appending(path: "end").absoluteString }

            let error = await #expect(throws: APIError.self) { try await site.load("/start") }

            #expect(error?.kind == .status(302))
            #expect(error?.response?.url?.path == "/next")
            #expect(error?.body == Data("moved".utf8))
            #expect(await site.lines == ["GET /start", "GET /next"])
        }
    }

    @Test(arguments: Backend.all())
    func credentialsAreNotSentOnTheWayBackFromAnotherOrigin(backend: Backend) async throws {
        let credentials = ["Authorization": "Bearer bone", "Cookie": "dog=Rex"]
        let targets = Locked<[String: String]>([:])
        try await backend.run(respond: { request in
            targets.withLock { $0[request.path] }.map { .redirect(to: $0) } ?? .text("back")
        }) { site in
            // A location without a scheme has that of the redirected request.
            let over = site.other.appending(path: "over").absoluteString.drop { $0 != "/" }
            let end = site.baseURL.appending(path: "end").absoluteString
            targets.withLock { $0 = ["/start": String(over), "/over": end] }

            let response = try await site.load("/start", headers: credentials)

            let received = try #require(await site.requests.last)
            #expect(response.value == "back")
            #expect(credentials.keys.compactMap(received.header) == [])
            #expect(await site.lines == ["GET /start", "GET /over", "GET /end"])
        }
    }

    @Test(arguments: Backend.all())
    func sixteenRedirectsAreFollowed(backend: Backend) async throws {
        try await backend.run(respond: { request in
            request.number == 16 ? .text("there") : .redirect(to: "/\(request.number + 1)")
        }) { site in
            let response = try await site.load("/0")
            #expect(response.value == "there")
        }
    }

    @Test(arguments: Backend.all())
    func locationOfAnotherStatusIsNotFollowed(backend: Backend) async throws {
        try await backend.run(respond: {
            Reply(status: $0.number, body: .data(Data())).header("Location", "/end")
        }) { site in
            for status in [300, 304, 305] {
                let error = await #expect(throws: APIError.self) {
                    try await site.load("/\(status)")
                }

                #expect(error?.kind == .status(status))
                #expect(await site.lines.last == "GET /\(status)")
            }
        }
    }
}
