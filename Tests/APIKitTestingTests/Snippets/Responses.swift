import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer) struct ResponseSnippets {
    let server = MockServer.current
    let rex = Dog(id: 1, name: "Rex")

    private func text(_ path: APIPath, method: HTTPMethod = .get) async throws
        -> String
    {
        let client = APIClient(
            baseURL: URL(string: "https://a.example"), transport: server.session
        )
        return try await client.load(Text(method: method, path: path))
    }

    private struct Text: APIRequest {
        typealias ResponseDataType = String
        var method: HTTPMethod
        var path: APIPath

        func makeRequest(from: Void) throws -> URLRequest {
            try URLRequest(method, path)
        }
    }

    @Test func repliesHaveBodies() async throws {
        // snippet.bodies
        server.on(.get("/ping"))
        server.on(.get("/dogs/1"), reply: .json(rex))
        server.on(
            .post("/dogs"),
            reply: .json(rex, status: 201).header("Location", "/dogs/1"))
        server.on(.get("/motd"), reply: .text("Hello"))
        server.on(
            .get("/dogs"), reply: .fixture("Fixtures/users.json", in: .module))
        // snippet.end

        #expect(try await text("ping").isEmpty)
        #expect(try await text("dogs/1").contains("Rex"))
        #expect(try await text("dogs", method: .post).contains("Rex"))
        #expect(try await text("motd") == "Hello")
        #expect(try await text("dogs").contains("Ada"))
    }

    @Test func repliesAreJSON() async throws {
        let (id, name, nickname) = (3, "Rex", String?.none)

        // snippet.json
        server.on(
            .get("/dogs/2"),
            reply: .json(["id": 2, "name": "Max", "tags": ["small", nil]]))
        server.on(
            .get("/dogs/3"),
            reply: .json(["id": id, "name": name, "nickname": nickname]))
        server.on(
            .get("/owner"),
            reply: .json(["dog": .json(["id": id, "name": name]), "n": 2]))
        server.on(
            .get("/legacy"), reply: .json(text: #"[{"id": 1, "name": "Rex"}]"#))
        // snippet.end

        #expect(try await text("dogs/2").contains("null"))
        #expect(try await text("dogs/3").contains("null"))
        #expect(try await text("owner").contains("Rex"))
        #expect(try await text("legacy") == #"[{"id": 1, "name": "Rex"}]"#)
    }

    @Test func repliesAreServedInTurn() async throws {
        // snippet.sequence
        server.on(
            .get("/jobs/1"), reply: .status(202), .status(202), .text("done"))
        // snippet.end

        let texts = [
            try await text("jobs/1"), try await text("jobs/1"),
            try await text("jobs/1"),
        ]
        #expect(texts == ["", "", "done"])
    }

    @Test func closureRefusesAnEmptyBody() async throws {
        // snippet.closure
        server.on(.post("/echo")) { request in
            guard !request.body.isEmpty else { return .status(400) }
            return .data(
                request.body,
                contentType: request.header("Content-Type") ?? "text/plain")
        }
        // snippet.end

        await #expect(throws: APIError.self) {
            try await text("echo", method: .post)
        }
    }

    @Test func sessionFollowsRedirectsAndStoresCookies() async throws {
        // snippet.cookies
        server.on(
            .post("/login"),
            reply: .redirect(to: "/home").cookie("session", "42"))
        server.on(
            .get("/home").cookie("session", "42"), reply: .text("Welcome"))
        // snippet.end

        #expect(try await text("login", method: .post) == "Welcome")
    }

    @Test func resourcesRespondToConditionsAndRanges() async throws {
        // snippet.resource
        server.on(
            .get("/dogs"),
            reply: .resource(.json([rex]).header("ETag", #""v1""#)))
        server.on(
            .get("/song"),
            reply: .resource(.fixture("Fixtures/users.json", in: .module)))
        server.on(
            .get("/film"),
            reply: .resource(.text("0123456789")).truncated(after: 4))
        // snippet.end

        for (path, field, value, status) in [
            ("dogs", "If-None-Match", "\"v1\"", 304),
            ("song", "Range", "bytes=9999-", 416),
            ("film", "Range", "bytes=8-", 206),
        ] {
            var request = URLRequest(
                url: try #require(URL(string: "https://a.example/\(path)")))
            request.setValue(value, forHTTPHeaderField: field)
            let (_, response) = try await server.session.send(request)
            #expect((response as? HTTPURLResponse)?.statusCode == status)
        }
    }

    @Test func bodiesArriveInChunks() async throws {
        // snippet.stream
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        server.on(
            .get("/log"), reply: .stream(chunks, contentType: "text/plain"))
        server.on(
            .get("/news"),
            reply: .events(["one", ServerSentEvent(data: "two", id: "2")]))
        try server.on(.get("/chat"), reply: .events([.json(rex), "[DONE]"]))

        continuation.yield(Data("first\n".utf8))
        continuation.finish()
        // snippet.end

        #expect(try await text("log") == "first\n")
        #expect(try await text("news") == "data: one\n\nid: 2\ndata: two\n\n")
        #expect(try await text("chat").hasSuffix("}\n\ndata: [DONE]\n\n"))
    }

    @Test func uploadHasARate() async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        let photo = Data(count: 300_000)

        // snippet.upload
        server.on(
            .post("/photos"),
            reply: .status(201).throttled(uploadBytesPerSecond: 100_000))
        // snippet.end

        let upload = Task {
            try await server.session.upload(
                .make("POST", "/photos"), from: .data(photo)
            ) { _ in }
        }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(3))
        #expect(
            (try await upload.value.1 as? HTTPURLResponse)?.statusCode == 201)
    }

    @Test func routesLetRequestsThrough() async throws {
        // snippet.passthrough
        let server = MockServer(unhandled: .reply(.passthrough))
        server.on(.get("/new"), reply: .text("Not on the real server yet"))
        server.on(.get("/cut"), reply: .passthrough.truncated(after: 6))
        // snippet.end

        let real = try LoopbackServer {
            LoopbackServer.response(200, body: "real \($0.path)")
        }
        let (new, _) = try await server.session.send(
            URLRequest(url: real.url("/new")))
        let (other, _) = try await server.session.send(
            URLRequest(url: real.url("/other")))
        #expect(new == Data("Not on the real server yet".utf8))
        #expect(other == Data("real /other".utf8))
        await #expect(throws: URLError.self) {
            try await server.session.send(URLRequest(url: real.url("/cut")))
        }
    }

    @Test func faultsReachTheClient() async throws {
        // snippet.faults
        server.on(.get("/offline"), reply: .failure(.notConnectedToInternet))
        server.on(
            .get("/cut"), reply: .text("a long answer").truncated(after: 6))
        server.on(
            .get("/wrong"),
            reply: .text("<html>", contentType: "application/json"))
        server.on(.get("/slow"), reply: .never)
        // snippet.end

        for path: APIPath in ["offline", "cut"] {
            let error = await #expect(throws: APIError.self) {
                try await text(path)
            }
            #expect(error?.kind == .transport)
        }
        #expect(try await text("wrong") == "<html>")
        let slow = Task { try await text("slow") }
        _ = try await server.nextRequest(.get("/slow"))
        slow.cancel()
        await #expect(throws: CancellationError.self) { try await slow.value }
    }

    // snippet.everyFault
    @Test(arguments: MockResponse.faults(of: .json([Dog(id: 1, name: "Rex")])))
    func loadEndsAfterEveryFault(fault: MockResponse.Fault) async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(.get("/v1/dogs"), reply: fault.reply, times: .anyNumber)
        let time = Task {
            while !Task.isCancelled { await clock.advanceToNextDeadline() }
        }
        defer { time.cancel() }

        let client = APIClient(
            baseURL: URL(string: "https://api.example.com/v1"),
            transport: server.session,
            interceptors: [
                Deadline(.seconds(60), clock: clock), Retry(clock: clock),
            ])
        do {
            let dogs = try await client.load(DogsRequest(), with: "akita")
            #expect(dogs.map(\.name) == ["Rex"])
        } catch {
            #expect(error is APIError)
        }
    }
    // snippet.end
}
