import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// Recordings as a test uses them, from the first request to the file and back.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct CassetteTests {
    let folder: RecordingFolder

    init() throws { folder = try RecordingFolder() }

    /// A real server that responds with a greeting, the number of the request and its target.
    private func greetings() throws -> LoopbackServer {
        let count = Locked(0)
        return try LoopbackServer { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return LoopbackServer.response(
                200, ["Content-Type: text/plain"], body: "hello \(number) \(request.path)")
        }
    }

    // MARK: Modes

    @Test func missingFileIsRecordedAndThenReplayed() async throws {
        let real = try greetings()
        let dogs = real.url("/dogs?page=1").absoluteString
        for run in [TestRun.local, .later, .later] {
            let server = folder.server(replaying: Cassette("users"), in: run)

            #expect(try await server.session.text(dogs) == "hello 1 /dogs?page=1")

            server.verify()
            #expect(folder.names == ["users.har"])
        }
        let server = folder.server(replaying: Cassette("users"), in: .later)
        await #expect(throws: UnhandledRequestError.self) {
            try await server.send(.make("GET", real.url("/cats").absoluteString))
        }
        #expect(server.failuresOfVerification().count == 1)
        #expect(real.requests.count == 1)
    }

    @Test(arguments: [Cassette.Mode.once, .none])
    func missingFileFailsTheTestWithTheCommand(mode: Cassette.Mode) async throws {
        let real = try greetings()
        let server = folder.server(
            replaying: Cassette("users", mode: mode), in: TestRun(environment: ["CI": "true"]))

        let error = await #expect(throws: TestFailure.self) {
            try await server.send(.make("GET", real.url("/dogs").absoluteString))
        }

        let command = "swift test --filter CassetteTests/missingFileFailsTheTestWithTheCommand"
        #expect("\(try #require(error))".contains(command))
        let failures = server.failuresOfVerification()
        #expect(failures.contains { $0.contains(command) && $0.contains("Recordings/users.har") })
        #expect(real.requests.isEmpty)
        #expect(folder.names == [])
    }

    @Test func allModeReplacesTheFile() async throws {
        let real = try greetings()
        let (dogs, cats) = (real.url("/dogs").absoluteString, real.url("/cats").absoluteString)
        try await record([dogs, cats])

        try await record([cats], mode: .all, in: .later)

        let server = folder.server(replaying: Cassette("users", mode: .none))
        #expect(try await server.session.text(cats) == "hello 3 /cats")
        server.verify()
    }

    @Test func newEpisodesAddsUnknownRequestsAndKeepsTheOthers() async throws {
        let real = try greetings()
        let (dogs, cats) = (real.url("/dogs").absoluteString, real.url("/cats").absoluteString)
        try await record([dogs])
        let known = try folder.entries()

        try await record([dogs, cats], mode: .newEpisodes)

        let entries = try folder.entries()
        #expect(entries.count == 2)
        #expect(entries.first == known.first)
        #expect(real.requests.map(\.path) == ["/dogs", "/cats"])
        let server = folder.server(replaying: Cassette("users", mode: .none))
        #expect(try await server.session.text(cats) == "hello 2 /cats")
        #expect(try await server.session.text(dogs) == "hello 1 /dogs")
        server.verify()
    }

    // MARK: Replaying

    @Test func equalRequestsReplayInOrderAndOnlyAsOftenAsRecorded() async throws {
        let real = try greetings()
        let dogs = real.url("/dogs").absoluteString
        try await record([dogs, dogs])

        let server = folder.server(replaying: Cassette("users", mode: .none))
        #expect(try await server.session.text(dogs) == "hello 1 /dogs")
        #expect(try await server.session.text(dogs) == "hello 2 /dogs")
        await #expect(throws: UnhandledRequestError.self) {
            try await server.send(.make("GET", dogs))
        }

        #expect(server.failuresOfVerification().count == 1)
        let repeating = folder.server(
            replaying: Cassette("users", mode: .none, options: [.repeatsLastEntry]))
        for number in [1, 2, 2, 2] {
            #expect(try await repeating.session.text(dogs) == "hello \(number) /dogs")
        }
        repeating.verify()
    }

    @Test func bodyDecidesIfItIsCompared() async throws {
        let real = try LoopbackServer { .echo($0) }
        func add(_ json: String, to server: MockServer) async throws -> String {
            let body = Data(json.utf8)
            let request = URLRequest.make(
                "POST", real.url("/dogs").absoluteString,
                headers: ["Content-Type": "application/json"], body: body)
            return String(decoding: try await server.session.send(request).0, as: UTF8.self)
        }
        let cassette = Cassette(
            "dogs", matching: [.method, .url, .body], mode: .newEpisodes)
        let recorder = folder.server(replaying: cassette)
        _ = try await add(#"{"name":"Rex","age":1}"#, to: recorder)
        _ = try await add(#"{"name":"Max","age":2}"#, to: recorder)
        recorder.verify()

        let server = folder.server(replaying: cassette)

        #expect(
            try await add(#"{ "age": 2, "name": "Max" }"#, to: server) == #"{"name":"Max","age":2}"#
        )
        #expect(
            try await add(#"{"name":"Rex","age":1}"#, to: server) == #"{"name":"Rex","age":1}"#)
        server.verify()
        #expect(real.requests.count == 2)
    }

    @Test func routeOfTheTestTakesPrecedence() async throws {
        let real = try greetings()
        let (dogs, cats) = (real.url("/dogs").absoluteString, real.url("/cats").absoluteString)
        try await record([dogs, cats])
        for isRouteFirst in [true, false] {
            let server = MockServer()
            if isRouteFirst { server.on(.get("/dogs"), reply: .text("mine")) }
            // The route serves the request of an entry, which is therefore not missing.
            server.replay(folder.moved(Cassette("users", mode: .none)))
            if !isRouteFirst { server.on(.get("/dogs"), reply: .text("mine")) }

            #expect(try await server.session.text(dogs) == "mine")
            #expect(try await server.session.text(cats) == "hello 2 /cats")

            server.verify()
            server.verify(.get("/cats"))
            server.verifyOrder(.get("/dogs"), .get("/cats"))
        }
    }

    @Test func missNamesTheClosestEntryItsDifferencesAndTheCommand() async throws {
        let real = try greetings()
        try await record([
            real.url("/cats").absoluteString, real.url("/dogs?page=1&size=20").absoluteString,
        ])
        let server = folder.server(
            replaying: Cassette("users", mode: .none, options: [.allowsUnusedEntries]))

        await #expect(throws: UnhandledRequestError.self) {
            try await server.send(.make("GET", real.url("/dogs?page=2&size=20").absoluteString))
        }

        let failure = server.failuresOfVerification().joined(separator: "\n")
        #expect(failure.contains("/dogs?page=2&size=20"))
        #expect(failure.contains("page=1"))
        #expect(!failure.contains("/cats"))
        #expect(failure.contains("users.har"))
        #expect(
            failure.contains(
                "APIKIT_RECORD=all swift test --filter "
                    + "CassetteTests/missNamesTheClosestEntryItsDifferencesAndTheCommand"))
    }

    @Test func unusedEntryFailsTheTest() async throws {
        let real = try greetings()
        let dogs = real.url("/dogs").absoluteString
        try await record([dogs, real.url("/cats").absoluteString])
        let line = #line + 1
        let server = folder.server(replaying: Cassette("users", mode: .none), line: line)

        _ = try await server.session.text(dogs)

        let failures = server.failures
        #expect(failures.map(\.location?.line) == [line])
        #expect(failures.first?.message.contains("/cats") == true)
        #expect(server.failuresOfVerification().count == 1)
    }

    @Test func delaysReplayByTheClockOfTheServerIfAsked() async throws {
        let entries = [
            HAREntry(
                startedAt: Date(),
                request: .init(method: "GET", url: "https://api.example.com/dogs"),
                response: .init(status: 200), wait: .milliseconds(1500))
        ]
        try folder.write(entries)
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.replay(folder.moved(Cassette("users", mode: .none, options: [.replaysDelays])))

        async let status = server.session.status(.make("GET", "/dogs"))
        #expect(await clock.advanceToNextDeadline() == .milliseconds(1500))

        #expect(try await status == 200)
        server.verify()
    }

    // MARK: Bodies

    @Test func binaryBodyReplaysByteForByte() async throws {
        let bytes = Data((0...255).map { UInt8($0) })
        let real = try LoopbackServer { _, connection in
            connection.write(LoopbackServer.head(200, ["Content-Type: image/png"]))
            connection.write(bytes)
        }
        let picture = real.url("/picture").absoluteString
        let recorder = folder.server(replaying: Cassette("users", mode: .newEpisodes))
        #expect(try await recorder.session.send(.make("GET", picture)).0 == bytes)
        recorder.verify()

        let server = folder.server(replaying: Cassette("users", mode: .none))

        #expect(try await server.session.send(.make("GET", picture)).0 == bytes)
        server.verify()
        #expect(folder.text()?.contains(bytes.base64EncodedString()) == true)
    }

    @Test func streamIsRecordedWhileItIsRead() async throws {
        let hasFirst = DispatchSemaphore(value: 0)
        let real = try LoopbackServer { _, connection in
            connection.write(LoopbackServer.head(200, ["Content-Type: text/event-stream"]))
            connection.write("data: one\n\n")
            hasFirst.waitForSignal()
            connection.write("data: two\n\n")
        }
        let url = real.url("/events")
        func events(of server: MockServer, then: () -> Void) async throws -> [String] {
            let (stream, _) = try await server.session.stream(URLRequest(url: url))
            var events: [String] = []
            for try await event in stream.events {
                events.append(event.data)
                then()
            }
            return events
        }
        let recorder = folder.server(replaying: Cassette("users", mode: .newEpisodes))
        #expect(try await events(of: recorder) { hasFirst.signal() } == ["one", "two"])
        recorder.verify()

        let server = folder.server(replaying: Cassette("users", mode: .none))

        #expect(try await events(of: server) {} == ["one", "two"])
        server.verify()
        #expect(real.requests.count == 1)
    }

    // MARK: Files

    @Test func equalTrafficGivesEqualFilesButForTheDates() async throws {
        let real = try LoopbackServer { .echo($0) }
        var texts: [String] = []
        for run in [TestRun.local, .later] {
            try await record(
                [real.url("/dogs?token=s3cr3t-token").absoluteString], mode: .all, in: run)
            let text = try #require(folder.text())
            texts.append(text.replacing(/"startedDateTime".*/, with: ""))
        }

        #expect(texts.first == texts.last)
        #expect(texts.first?.contains("127.0.0.1:\(real.port)") == true)
    }

    @Test func testsAtTheSameTimeWriteOneFileWithoutLoss() async throws {
        let real = try greetings()
        let cassette = Cassette("users", mode: .newEpisodes, options: [.allowsUnusedEntries])
        let servers = (0..<16).map { _ in folder.server(replaying: cassette) }
        for (number, server) in servers.enumerated() {
            _ = try await server.session.text(real.url("/dogs/\(number)").absoluteString)
        }

        DispatchQueue.concurrentPerform(iterations: servers.count) { number in
            let tapes = servers[number].state.withLock { $0.tapes }
            #expect(tapes.flatMap { $0.finish(testHasPassed: true) } == [])
        }

        let urls = try folder.entries().map(\.request.url)
        #expect(urls.sorted() == (0..<16).map { real.url("/dogs/\($0)").absoluteString }.sorted())
        // No temporary file and no lock remains.
        #expect(folder.names == ["users.har"])
        let server = folder.server(
            replaying: Cassette("users", mode: .none, options: [.allowsUnusedEntries]))
        _ = try await server.session.text(real.url("/dogs/7").absoluteString)
        server.verify()
    }

    @Test func brokenFileFailsTheTestWithItsPlace() async throws {
        try folder.write(#"{"log": {"version": "1.2", "entries": [{"request": 1}]}}"#)
        let server = folder.server(replaying: Cassette("users", mode: .newEpisodes))

        await #expect(throws: (any Error).self) { try await server.session.text("/dogs") }

        let failures = server.failuresOfVerification().joined(separator: "\n")
        #expect(failures.contains("users.har"))
        #expect(failures.contains("log.entries[0]"))
        #expect(folder.text()?.contains(#"{"request": 1}"#) == true)
    }

    /// Records requests, and verifies that the file is written.
    private func record(
        _ urls: [String], mode: Cassette.Mode = .newEpisodes, in run: TestRun = .local
    ) async throws {
        let server = folder.server(replaying: Cassette("users", mode: mode), in: run)
        for url in urls { _ = try await server.session.text(url) }
        server.verify()
        #expect(folder.names == ["users.har"])
    }
}

extension String {
    /// A response with the body of the request.
    fileprivate static func echo(_ request: LoopbackServer.Request) -> String {
        LoopbackServer.response(200, ["Content-Type: application/json"], body: request.body)
    }
}
