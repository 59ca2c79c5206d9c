import APIKit
import APIKitTesting
import Foundation
import Testing

/// The parts of HTTP that a mock cannot simulate.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct RealHTTPTests {
    private let session = URLSession.plain()

    func send(
        _ request: URLRequest, in session: URLSession? = nil, by way: LoadingWay = .whole
    ) async throws -> (String, HTTPURLResponse) {
        try await way.load(request, by: session ?? self.session)
    }

    @Test func requestAndResponseArriveWhole() async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(418, ["X-Kind: teapot"], body: "short and stout")
        }
        let request = try URLRequest(
            .post, APIPath(verbatim: server.url("/pots").absoluteString), query: ["q": "a+b c&d"],
            headers: ["X-Sent": "1"], body: .json(["a": 1]))

        let (body, head) = try await send(request)

        #expect(head.statusCode == 418)
        #expect(head.value(forHTTPHeaderField: "X-Kind") == "teapot")
        #expect(body == "short and stout")
        #expect(server.requests[0].path == "/pots?q=a%2Bb%20c%26d")
        #expect(server.requests[0].body == #"{"a":1}"#)
        #expect(server.requests[0].header("X-Sent") == "1")
        #expect(server.requests[0].header("Content-Type") == "application/json")
    }

    @Test(
        arguments: [
            "Basic realm=\"dogs\"", "Digest realm=\"dogs\", nonce=\"1\"", "Bearer",
        ], LoadingWay.allCases)
    func refusedChallengeIsReturned(challenge: String, way: LoadingWay) async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(401, ["WWW-Authenticate: \(challenge)"], body: "who?")
        }

        let (body, head) = try await send(URLRequest(url: server.url("/")), by: way)

        #expect(head.statusCode == 401)
        #expect(body == "who?")
        #expect(head.value(forHTTPHeaderField: "WWW-Authenticate") == challenge)
    }

    @Test(arguments: ["right", "wrong"], LoadingWay.allCases)
    func delegateOfSessionReceivesChallenge(password: String, way: LoadingWay) async throws {
        let server = try LoopbackServer { request in
            request.header("Authorization") == "Basic YWRhOnJpZ2h0"  // ada:right
                ? LoopbackServer.response(200, body: "welcome")
                : LoopbackServer.response(
                    401, ["WWW-Authenticate: Basic realm=\"d\""], body: "who?")
        }
        let session = URLSession.plain(delegate: ChallengeDelegate(password: password))

        let (body, head) = try await send(URLRequest(url: server.url("/")), in: session, by: way)

        #expect(head.statusCode == (password == "right" ? 200 : 401))
        #expect(body == (password == "right" ? "welcome" : "who?"))
    }

    @Test(arguments: LoadingWay.allCases)
    func redirectWithoutLocationAfterALoginReplacesTheChallenge(way: LoadingWay) async throws {
        let server = try LoopbackServer { request in
            request.header("Authorization") == nil
                ? LoopbackServer.response(
                    401, ["WWW-Authenticate: Basic realm=\"d\""], body: "who?")
                : LoopbackServer.response(302, body: "moved")
        }
        let session = URLSession.plain(delegate: ChallengeDelegate(password: "right"))

        let (body, head) = try await send(URLRequest(url: server.url("/")), in: session, by: way)

        #expect(head.statusCode == 302)
        #expect(body == "moved")
    }

    @Test(arguments: LoadingWay.allCases)
    func delegateThatCancelsChallengeCancelsCall(way: LoadingWay) async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(401, ["WWW-Authenticate: Basic realm=\"d\""])
        }
        let session = URLSession.plain(
            delegate: ChallengeDelegate { _ in (.cancelAuthenticationChallenge, nil) })

        let error = await #expect(throws: URLError.self) {
            try await send(URLRequest(url: server.url("/")), in: session, by: way)
        }

        #expect(error?.code == .cancelled)
    }

    @Test func linkIsFoundInAnyOfSeveralHeaders() async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(
                200,
                ["Link: <?page=1>; rel=prev", "Link: <?page=3>; rel=next", "Link: </>; rel=up"])
        }

        let (_, head) = try await send(URLRequest(url: server.url("/dogs?page=2")))

        #expect(head.link(relation: "prev") == server.url("/dogs?page=1"))
        #expect(head.link(relation: "next") == server.url("/dogs?page=3"))
        #expect(head.link(relation: "up") == server.url("/"))
    }

    @Test(arguments: ["100 Continue", "103 Early Hints"], LoadingWay.allCases)
    func interimResponseIsSkipped(status: String, way: LoadingWay) async throws {
        let server = try LoopbackServer { _, connection in
            connection.write("HTTP/1.1 \(status)\r\nX-Kind: interim\r\n\r\n")
            connection.write(LoopbackServer.response(201, ["X-Kind: final"], body: "hello"))
        }

        let (body, head) = try await send(URLRequest(url: server.url("/")), by: way)

        #expect(body == "hello")
        #expect(head.statusCode == 201)
        #expect(head.value(forHTTPHeaderField: "X-Kind") == "final")
    }

    @Test func refusedConnectionIsAnError() async throws {
        let port = try RefusingPort()

        let error = await #expect(throws: URLError.self) {
            try await session.send(URLRequest(url: port.url))
        }

        #expect(error?.code == .cannotConnectToHost)
    }
}

extension RealHTTPTests {
    private func redirecting(
        _ status: Int, to location: String, _ headers: [String] = []
    ) throws -> LoopbackServer {
        try LoopbackServer { request in
            request.path.hasPrefix("/a/start")
                ? LoopbackServer.response(
                    status, ["Location: \(location)"] + headers, body: "moved")
                : LoopbackServer.response(200, body: "\(request.method) \(request.path)")
        }
    }

    @Test(
        arguments: [
            ("next", "/a/next"), ("/b?x=1", "/b?x=1"), ("?page=2", "/a/start2?page=2"),
        ], LoadingWay.allCases)
    func redirectIsFollowedToItsLocation(
        target: (location: String, path: String), way: LoadingWay
    ) async throws {
        let (location, path) = target
        let server = try LoopbackServer { request in
            request.path == "/a/start2"
                ? LoopbackServer.response(302, ["Location: \(location)"])
                : LoopbackServer.response(200, body: request.path)
        }

        let (body, head) = try await send(URLRequest(url: server.url("/a/start2")), by: way)

        #expect(body == path)
        #expect(head.url?.absoluteString.hasSuffix(path) == true)
    }

    @Test(
        arguments: [
            (301, "GET", ""), (302, "GET", ""), (303, "GET", ""), (307, "POST", "body"),
            (308, "POST", "body"),
        ], LoadingWay.allCases)
    func statusOfRedirectDecidesMethodAndBody(
        redirect: (status: Int, method: String, body: String), way: LoadingWay
    ) async throws {
        let (status, method, body) = redirect
        let server = try redirecting(status, to: "/end")
        var request = URLRequest(url: server.url("/a/start"))
        request.httpMethod = "POST"
        request.httpBody = Data("body".utf8)

        let (text, _) = try await send(request, by: way)

        #expect(text == "\(method) /end")
        #expect(server.requests.last?.body == body)
    }

    @Test(arguments: [(303, "GET", ""), (307, "POST", "body")], [UploadKind.data, .file])
    func statusOfRedirectDecidesMethodAndBodyOfUpload(
        redirect: (status: Int, method: String, body: String), kind: UploadKind
    ) async throws {
        let (status, method, body) = redirect
        let server = try redirecting(status, to: "/end")
        let directory = try TemporaryDirectory()
        let content = Data("body".utf8)
        let upload: HTTPBody =
            kind == .file ? .file(try directory.file("body", content)) : .data(content)
        var request = URLRequest(url: server.url("/a/start"))
        request.httpMethod = "POST"

        let (text, _) = try await URLSession.plain().upload(request, from: upload) { _ in }

        #expect(String(decoding: text, as: UTF8.self) == "\(method) /end")
        #expect(server.requests.map(\.body) == ["body", body])
    }

    @Test(arguments: LoadingWay.allCases)
    func loopOfRedirectsIsAnError(way: LoadingWay) async throws {
        let server = try redirecting(302, to: "/a/start")

        let error = await #expect(throws: URLError.self) {
            try await send(URLRequest(url: server.url("/a/start")), by: way)
        }

        #expect(error?.code == .httpTooManyRedirects)
        #expect(server.requests.count == 17)
    }

    @Test(arguments: ["ftp://127.0.0.1/x", ""], LoadingWay.allCases)
    func redirectThatCannotBeFollowedIsReturned(location: String, way: LoadingWay) async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(
                302, location.isEmpty ? [] : ["Location: \(location)"], body: "moved")
        }

        let (body, head) = try await send(URLRequest(url: server.url("/")), by: way)

        #expect(head.statusCode == 302)
        #expect(body == "moved")
    }

    @Test(arguments: [nil, "/elsewhere"], LoadingWay.allCases)
    func delegateOfSessionDecidesAboutRedirects(
        destination: String?, way: LoadingWay
    ) async throws {
        let server = try redirecting(302, to: "/end")
        let delegate = RedirectDelegate { request in
            var request = request
            request.url = destination.map { server.url($0) }
            return destination == nil ? nil : request
        }
        let session = URLSession.plain(delegate: delegate)

        let (body, head) = try await send(
            URLRequest(url: server.url("/a/start")), in: session, by: way)

        #expect(head.statusCode == (destination == nil ? 302 : 200))
        if let destination { #expect(body == "GET \(destination)") }
    }

    @Test(arguments: LoadingWay.allCases)
    func bodyStreamIsNotSentAgain(way: LoadingWay) async throws {
        let server = try redirecting(307, to: "/end")
        var request = URLRequest(url: server.url("/a/start"))
        request.httpMethod = "POST"
        request.setValue("4", forHTTPHeaderField: "Content-Length")
        request.httpBodyStream = InputStream(data: Data("body".utf8))

        let (_, head) = try await send(request, by: way)

        #expect(head.statusCode == 307)
    }

    @Test func loadCancelledByDelegateOfRedirectSendsNoFurtherRequest() async throws {
        let server = try redirecting(302, to: "/end")
        let load = Locked<Task<(Data, URLResponse), any Error>?>(nil)
        let started = Waiter<Void>()
        let delegate = RedirectDelegate { request in
            load.withLock { $0 }?.cancel()
            return request
        }
        let session = URLSession.plain(delegate: delegate)
        let (start, other) = (server.url("/a/start"), server.url("/other"))

        let task = Task {
            try await started.wait()
            return try await session.send(URLRequest(url: start))
        }
        load.withLock { $0 = task }
        started.answer(.success(()))

        await #expect(throws: CancellationError.self) { try await task.value }
        // Its task starts after that of a redirect.
        _ = try await session.send(URLRequest(url: other))
        #expect(server.requests.map(\.path) == ["/a/start", "/other"])
    }

    @Test(arguments: [false, true])
    func callCancelledDuringRedirectThrowsAtOnce(hasCache: Bool) async throws {
        let server = try redirecting(302, to: "/a/start")
        let configuration = URLSessionConfiguration.ephemeral
        if !hasCache { configuration.urlCache = nil }
        let session = URLSession(configuration: configuration)
        let url = server.url("/a/start")

        for pause in 0..<(Stress.isFull ? 100 : 20) {
            let load = Task { try await session.send(URLRequest(url: url)) }
            for _ in 0..<(pause * 20) { await Task.yield() }
            load.cancel()
            let error = await #expect(throws: (any Error).self) { try await load.value }
            #expect(
                error is CancellationError || (error as? URLError)?.code == .httpTooManyRedirects,
                "\(error.map { "\($0)" } ?? "nothing")")
        }
    }
}
