import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct MockServerTests {
    let server = MockServer.current

    @Test func canceledTaskSendsNoRequest() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [server] in
                    withUnsafeCurrentTask { $0?.cancel() }
                    for _ in 0..<Stress.count(500) {
                        await #expect(throws: CancellationError.self) {
                            try await server.send(.make())
                        }
                        await #expect(throws: CancellationError.self) {
                            try await server.stream(.make())
                        }
                        await Task.yield()
                    }
                }
            }
        }

        #expect(server.requests.isEmpty)
    }

    @Test func sessionThrowsTheErrorOfTheResponder() async {
        struct Refusal: Error, Equatable { let code: Int }
        server.on(.any) { _ in throw Refusal(code: 7) }

        let error = await #expect(throws: (any Error).self) {
            try await server.session.send(.make())
        }

        #expect(error as? Refusal == Refusal(code: 7))
    }

    @Test func responderRunsInTheContextOfTheTest() async throws {
        server.on(.any) { _ in
            #expect(Test.current?.name == "responderRunsInTheContextOfTheTest()")
            return .status(204)
        }

        #expect(try await server.session.status(.make()) == 204)
    }

    private enum Marker { @TaskLocal static var number = 0 }

    @Test func responderKeepsTheTaskLocalsOfItsRegistration() async throws {
        for number in [1, 2] {
            Marker.$number.withValue(number) {
                _ = server.on(.get("/\(number)")) { _ in .text("\(Marker.number)") }
            }
        }

        #expect(try await server.session.text("/1") == "1")
        #expect(try await server.session.text("/2") == "2")
    }

    @Test func configurationOfASessionKeepsItsHeaders() async throws {
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["X-App": "dogs", "Accept": "text/plain"]
        server.on(.any, times: 2) { request in
            .text("\(request.header("x-app") ?? "") \(request.header("accept") ?? "")")
        }

        let session = server.makeSession(configuration: configuration)
        let text = try await session.text("/")
        let own = try await session.send(.make(headers: ["accept": "text/html"])).0

        #expect(text == "dogs text/plain")
        #expect(String(decoding: own, as: UTF8.self) == "dogs text/html")
        #expect(configuration.protocolClasses?.contains { $0 is MockURLProtocol.Type } != true)
    }

    @Test func installedConfigurationServesItsSessions() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        server.install(in: configuration)
        server.on(.any, reply: .text("mocked"), .text("copied"))

        let session = URLSession(configuration: configuration)
        let copy = URLSession(configuration: session.configuration)

        #expect(try await session.text("/") == "mocked")
        #expect(try await copy.text("/") == "copied")
    }

    @Test func installedConfigurationHasNoCache() {
        let configuration = URLSessionConfiguration.default
        #expect(configuration.urlCache != nil)

        server.install(in: configuration)

        #expect(configuration.urlCache == nil)
        #expect(server.session.configuration.urlCache == nil)
    }

    @Test func requestIsRecorded() async throws {
        server.on(.post("/users"), reply: .status(201))

        let body = try JSONEncoder().encode(User(id: 1, name: "Ada"))
        _ = try await server.session.send(
            .make("POST", "/users?page=2&q=a%20b", headers: ["X-Trace": "1"], body: body))

        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.url.absoluteString == "https://api.example.com/users?page=2&q=a%20b")
        #expect(request.path == "/users")
        #expect(request.queryItems.map(\.value) == ["2", "a b"])
        #expect(request.header("x-trace") == "1")
        #expect(request.header("missing") == nil)
        #expect(try request.json(User.self) == User(id: 1, name: "Ada"))
        #expect(
            request.text == #"{"id":1,"name":"Ada"}"# || request.text == #"{"name":"Ada","id":1}"#)
        #expect(server.requests(matching: .get()).isEmpty)
        #expect(server.requests(matching: .post("/users")).count == 1)
    }

    @Test func sessionThatOutlivesItsServerFails() async {
        let session = MockServer { _ in .status(200) }.session

        let error = await #expect(throws: (any Error).self) {
            try await session.send(.make("GET", "/late?secret=secret"))
        }

        #expect(
            error.map { "\($0)" } == """
                https://api.example.com/late?secret=*** was requested by a session whose \
                MockServer has been released. Keep the server while its sessions are in use, for \
                example in a property of the test. The expression MockServer().session \
                releases it at once.
                """)
        #expect(error?.localizedDescription == error.map { "\($0)" })
    }

    @Test func releasedServerReleasesItsConfigurations() async {
        weak var installed: URLSessionConfiguration?
        do {
            let configuration = URLSessionConfiguration.ephemeral
            MockServer().install(in: configuration)
            installed = configuration
        }
        // On Apple platforms, the end of an autorelease pool may release it.
        await until("the configuration is released") { installed == nil }
    }

    @Test func streamCanceledBeforeItsHeadThrowsCancellationError() async throws {
        let isRunning = Waiter<Void>()
        server.on(.get("/slow")) { _ in
            isRunning.answer(.success(()))
            while !Task.isCancelled { await Task.yield() }
            throw URLError(.cannotParseResponse)
        }

        let stream = Task { [server] in try await server.stream(.make("GET", "/slow")) }
        try await isRunning.wait()
        stream.cancel()

        await #expect(throws: CancellationError.self) { try await stream.value }
    }

    @Test func serverReleasedOnTheLoadingThreadFailsItsPendingLoads() async throws {
        let kept = Locked<MockServer?>(MockServer())
        let session = try #require(
            kept.withLock { server in
                server?.on(.get("/pending"), reply: .never)
                // A session runs the condition of a pattern on the loading thread.
                let releasing = RequestPattern.get("/last").where("releases the server") { _ in
                    kept.withLock { $0 = nil }
                    return true
                }
                server?.on(releasing, reply: .status(204))
                return server?.session
            })
        let load = Task { try await session.send(.make("GET", "/pending")) }
        _ = try await kept.withLock { $0 }?.nextRequest(.get("/pending"))

        #expect(try await session.status(.make("GET", "/last")) == 204)

        let error = await #expect(throws: (any Error).self) { try await load.value }
        #expect(error.map { "\($0)".contains("whose MockServer has been released") } == true)
    }

    @Test func releasedServerFailsItsPendingLoads() async throws {
        // The release comes just before or just after the server responds. The loop covers both.
        for _ in 0..<Stress.count(500) {
            let waiter = Waiter<(any Error)?>()
            do {
                let server = MockServer { _ in .never }
                server.session.dataTask(with: .make("GET", "/never")) { _, _, error in
                    waiter.answer(.success(error))
                }.resume()
                _ = try await server.nextRequest()
            }

            let error = try #require(try await waiter.wait())
            #expect("\(error)".contains("whose MockServer has been released"))
        }
    }

    @Test func unencodablePolicyIsReported() async throws {
        let server = MockServer(unhandled: .reply(.json(Double.nan)))

        let failures = try await server.failuresOfVerification()

        #expect(failures.map { $0.hasPrefix("A route is invalid: a Double cannot") } == [true])
    }
}
