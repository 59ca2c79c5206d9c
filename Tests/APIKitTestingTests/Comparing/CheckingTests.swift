import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// Recordings that are compared with a server that has changed since.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct CheckingTests {
    private struct Dog: Decodable, Sendable {
        var id: Int
        var breed: String?
    }

    private struct GetDogs: APIRequest {
        typealias ResponseDataType = [Dog]

        func makeRequest(from path: String) throws -> URLRequest {
            try URLRequest(.get, APIPath(verbatim: path))
        }
    }

    private let folder: RecordingFolder
    private let real: LoopbackServer
    /// The response of the server to each request.
    private let response = Locked((status: 200, fields: [String](), body: ""))

    init() throws {
        folder = try RecordingFolder()
        let response = response
        real = try LoopbackServer { request in
            let (status, fields, body) = response.withLock { $0 }
            return LoopbackServer.response(
                status, ["Content-Type: application/json"] + fields,
                body: body.replacing("{method}", with: request.method))
        }
    }

    private let recorded = #"""
        [{"id": 1, "breed": "akita", "tag": 1}, {"id": 2, "breed": "boxer", "tag": 2},
         {"id": 3, "breed": "akita", "tag": 3}, {"id": 4, "breed": "boxer", "tag": 4},
         {"id": 5, "breed": "akita", "tag": 5}]
        """#

    /// Writes the recording that the mode `all` makes of a response.
    private func record(_ paths: [String] = ["dogs"], body: String? = nil) throws {
        let response = RecordedResponse(
            status: 200, fields: [HeaderField(name: "Content-Type", value: "application/json")],
            body: Data((body ?? recorded).utf8))
        try folder.write(
            paths.map {
                RecordedExchange(
                    startedAt: Date(), request: RecordedRequest("GET", real.url("/\($0)")),
                    response: response)
            }, "dogs")
    }

    /// Sends requests, and returns the failures and warnings of the recording.
    private func run(
        _ mode: Cassette.Mode, _ paths: [String] = ["dogs"], status: Int = 200,
        fields: [String] = [], body: String, options: Set<Cassette.Option> = [],
        isTyped: Bool = true
    ) async throws -> [TestFailure] {
        response.withLock { $0 = (status, fields, body) }
        let cassette = folder.moved(Cassette("dogs", mode: mode, options: options))
        let server = MockServer()
        let tape = Tape(
            RecordingFile(cassette, test: "a"), at: SourceCodeLocation("A/B.swift", "B.swift", 7, 1)
        )
        server.replay(tape)
        let client = APIClient(baseURL: real.url("/"), transport: server.session)
        for path in paths {
            if isTyped {
                // The server may refuse the request, or send another body.
                _ = await Result.of { try await client.load(GetDogs(), with: path) }
            } else {
                _ = try await server.session.send(URLRequest(url: real.url("/\(path)")))
            }
        }
        return tape.finish(
            testHasPassed: true, after: server.state.withLock { $0.journal })
    }

    @Test func unchangedServerHasNoChanges() async throws {
        #expect(try await run(.all, body: recorded) == [])
        let file = folder.text("dogs")

        #expect(try await run(.check, body: recorded.replacing("akita", with: "beagle")) == [])
        #expect(folder.text("dogs") == file)
        #expect(folder.names == ["dogs.har"])
    }

    @Test(arguments: [
        (
            #"{"id": "#, #"{"no": "#, false,
            "[].id is gone; no is new. GetDogs cannot parse the body."
        ),
        (
            #""breed": "#, #""race": "#, true,
            "[].breed is gone; race is new. GetDogs reads it."
        ),
        (
            #""boxer""#, "7", false,
            "[].breed is now number or string, and was string. GetDogs cannot parse the body."
        ),
    ])
    func changeIsJudgedByTheRequestType(
        old: String, new: String, isWarning: Bool, line: String
    ) async throws {
        try record()

        let issues = try await run(.check, body: recorded.replacing(old, with: new))

        let issue = try #require(issues.first)
        #expect(issue.message.contains(line), "\(issue.message)")
        #expect(issues.count == 1 && issue.isWarning == isWarning)
        #expect(
            issue.message.hasPrefix("The server has changed since Recordings/dogs.har (entry 1, 20")
        )
        #expect(issue.message.contains("→ 200: compared 5 elements with 5"))
        #expect(issue.message.contains("APIKIT_RECORD=all swift test --filter a"))
        #expect(issue.location?.line == 7)
    }

    @Test(
        arguments: [
            (#""akita""#, #""2026-01-31T12:00:00Z""#), (#""boxer""#, "null"),
            (#", "breed": "boxer""#, ""), ("[", "[{\"id\": 9},"),
        ])
    func changeThatTheParserTakesAsOtherDataIsSilent(old: String, new: String) async throws {
        try record()

        #expect(try await run(.check, body: recorded.replacing(old, with: new)) == [])
    }

    @Test func changeThatNothingReadsIsOnlyCounted() async throws {
        try record()
        let body = recorded.replacing(#", "tag": "#, with: #", "label": "#)

        #expect(try await run(.check, body: body) == [])
        let gone = try await run(.check, body: body.replacing(#""breed""#, with: #""race""#))
        #expect(
            gone.first?.message.contains("\n3 more changes of members that nothing reads") == true)
    }

    @Test func requestTypesOfOneURLAreJudgedByTheirOwnParsers() async throws {
        struct GetTags: APIRequest {
            struct Tagged: Decodable, Sendable { var tag: Int? }
            typealias ResponseDataType = [Tagged]

            func makeRequest(from path: String) throws -> URLRequest {
                try URLRequest(.get, APIPath(verbatim: path))
            }
        }
        let changed = recorded.replacing(#""tag""#, with: #""label""#)
        for (mode, body) in [(Cassette.Mode.all, recorded), (.check, changed)] {
            response.withLock { $0.body = body }
            let server = folder.server(replaying: Cassette("dogs", mode: mode))
            let client = APIClient(baseURL: real.url("/"), transport: server.session)
            _ = try await client.load(GetTags(), with: "dogs")
            _ = try await client.load(GetDogs(), with: "dogs")

            let issues = server.state.withLock { $0 }.finish(testHasPassed: true)

            #expect(issues.count == (mode == .check ? 1 : 0))
            let change = "- [].tag is gone; label is new. GetTags reads it.\n"
            #expect(issues.allSatisfy { $0.message.contains(change) })
        }
    }

    @Test func everyMemberCountsAsReadWithoutARequestType() async throws {
        try record()

        let issues = try await run(
            .check, body: recorded.replacing(#""tag""#, with: #""label""#), isTyped: false)

        #expect(issues.first?.message.contains("- [].tag is gone; label is new.\n") == true)
    }

    @Test(
        arguments: [
            (404, [], "{}", false, "The status is now 404, and was 200."),
            (200, [], "", false, "The body is now empty, and was JSON."),
            (
                200, [], "<html>", false,
                "The body is now not JSON (application/json, 6 bytes), and was JSON."
            ),
            (
                200, [], "[{", false,
                "The body is now not JSON (application/json, 2 bytes), and was JSON."
            ),
            (203, [], nil, true, "The status is now 203, and was 200."),
            (200, ["Sunset: Thu, 01 Apr 2027 00:00:00 GMT"], nil, true, "Sunset: Thu, 01 Apr 2027"),
            (200, ["Deprecation: @1688169599"], nil, true, "Deprecation: @1688169599"),
        ] as [(Int, [String], String?, Bool, String)])
    func headIsComparedToo(
        status: Int, fields: [String], body: String?, isWarning: Bool, line: String
    ) async throws {
        try record()

        let issues = try await run(.check, status: status, fields: fields, body: body ?? recorded)

        #expect(issues.count == 1)
        #expect(issues.first?.isWarning == isWarning)
        #expect(issues.first?.message.contains(line) == true)
    }

    @Test(arguments: [401, 403, 429, 500, 503])
    func temporaryResponseIsNotCompared(status: Int) async throws {
        try record()

        let issues = try await run(.check, status: status, body: "{}")

        #expect(
            issues.map(\.message) == [
                "Nothing was compared. Recordings/dogs.har: 0 compared by body, 0 by head only, 1 not "
                    + "compared: entry 1 status \(status)."
            ])
    }

    @Test func recordedFailureOfTheServerIsNotCompared() async throws {
        response.withLock { $0 = (200, [], recorded) }
        _ = try await run(.all, ["dogs", "cats"], status: 500, body: "{}")
        let file = try folder.entries("dogs")
        #expect(file.map(\.response.status) == [500, 500])

        let issues = try await run(.check, ["dogs", "cats"], body: recorded)

        #expect(issues.first?.message.contains("entry 1 was recorded with an error") == true)
    }

    @Test func serverThatCannotBeReachedIsNotCompared() async throws {
        try record()
        var file = HARFile(entries: try folder.entries("dogs"))
        let port = try LoopbackServer { _ in "" }.url("/dogs")
        file.entries[0] = file.entries[0].sending(port)
        try folder.write(file.entries, "dogs")

        let server = folder.server(replaying: Cassette("dogs", mode: .check))
        _ = await Result.of { try await server.session.send(URLRequest(url: port)) }

        #expect(server.failuresOfVerification().first?.contains("entry 1 no response: ") == true)
    }

    @Test func requestWithALiveIdentifierIsComparedWithItsEntry() async throws {
        try record(["dogs", "dogs/17", "dogs/18"])

        let issues = try await run(
            .check, ["dogs", "dogs/829", "dogs/18"],
            body: recorded.replacing(#""breed""#, with: #""race""#))

        #expect(issues.count == 3)
        #expect(issues.contains { $0.message.contains("(entry 2,") && $0.message.contains("/829") })
    }

    @Test func checkWithoutAFileOrARequestFails() async throws {
        let server = folder.server(replaying: Cassette("dogs", mode: .check))
        #expect(server.failures.first?.message.contains("does not exist") == true)
        #expect(server.failuresOfVerification().count == 1)

        try record()
        let issues = try await run(.check, [], body: recorded)
        #expect(issues.first?.message.contains("entry 1 not requested") == true)
    }

    @Test(arguments: [true, false])
    func unsafeRequestIsSentOnlyIfTheCassetteAllowsIt(isAllowed: Bool) async throws {
        for mode in [Cassette.Mode.all, .check] {
            response.withLock { $0 = (200, [], #""{method} \#(mode)""#) }
            let server = folder.server(
                replaying: Cassette(
                    "dogs", mode: mode, options: isAllowed ? [.checksAllMethods] : []))
            var request = URLRequest(url: real.url("/dogs"))
            request.httpMethod = "POST"
            let (body, _) = try await server.session.send(request)

            #expect(server.failuresOfVerification() == [])
            let sent = mode == .all || isAllowed ? "\(mode)" : "all"
            #expect(String(decoding: body, as: UTF8.self) == "\"POST \(sent)\"")
        }
    }

    @Test func unsafeRequestWithoutAnEntryIsNotSent() async throws {
        try record()
        let server = folder.server(replaying: Cassette("dogs", mode: .check))
        let url = real.url("/dogs")

        await #expect(throws: UnhandledRequestError.self) {
            var request = URLRequest(url: url)
            request.httpMethod = "DELETE"
            _ = try await server.send(request)
        }
        #expect(server.failures.count == 1)
        _ = server.failuresOfVerification()
    }

    @Test(arguments: [true, false])
    func streamThatItsReaderEndsIsRecordedAndCompared(isSession: Bool) async throws {
        let real = MockServer()
        real.on(.any, times: .anyNumber) { _ in
            // The server keeps the connection open.
            let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
            continuation.yield(Data("data: {\"id\": 1}\n\ndata: [DONE]\n\n".utf8))
            return .stream(chunks, contentType: "text/event-stream")
        }
        struct News: APIRequest {
            func makeRequest(from: Void) throws -> URLRequest { try URLRequest(.get, "news") }
        }
        struct Item: Decodable, Sendable { var id: Int }
        try await real.listening { url in
            for mode in [Cassette.Mode.all, .check] {
                let server = folder.server(replaying: Cassette("dogs", mode: mode))
                let client = APIClient(
                    baseURL: url, transport: isSession ? server.session : server)
                let response = try await client.stream(News(), with: ())
                for try await _ in response.value.events.decoded(as: Item.self, until: "[DONE]") {}

                #expect(server.failuresOfVerification() == [])
                #expect(try folder.entries("dogs").map(\.response.body.count) == [31])
            }
        }
    }

    @Test func pollingOnceMoreIsNoChange() async throws {
        let done = #"[{"id": 1, "breed": "akita", "result": {"x": 1}}]"#
        let pending = #"[{"id": 1, "breed": "akita"}]"#
        for (mode, bodies) in [
            (Cassette.Mode.all, [pending, done]), (.check, [pending, pending, done]),
        ] {
            let server = folder.server(replaying: Cassette("dogs", mode: mode))
            for body in bodies {
                response.withLock { $0.body = body }
                _ = try await server.session.send(URLRequest(url: real.url("/dogs")))
            }
            #expect(server.failuresOfVerification() == [])
        }
    }

    @Test func responsesOfOneClassAreComparedWithEachOther() async throws {
        let found = #"[{"id": 1, "breed": "akita"}]"#
        for (mode, bodies) in [
            (Cassette.Mode.all, [(404, #"{"message": "x"}"#), (200, found)]),
            (.check, [(404, #"{"message": "x"}"#), (200, found.replacing("breed", with: "race"))]),
        ] {
            let server = folder.server(replaying: Cassette("dogs", mode: mode))
            for (status, body) in bodies {
                response.withLock { $0 = (status, [], body) }
                _ = try await server.session.send(URLRequest(url: real.url("/dogs")))
            }
            let issues = server.state.withLock { $0 }.finish(testHasPassed: true)

            #expect(issues.count == (mode == .check ? 1 : 0))
            let change = "- [].breed is gone; race is new.\n"
            #expect(issues.allSatisfy { $0.isWarning && $0.message.contains(change) })
        }
    }

    @Test func errorIsComparedWithTheRecordedErrorAlone() async throws {
        for (mode, error) in [(Cassette.Mode.all, #"{"code": 1}"#), (.check, #"{"reason": 1}"#)] {
            let server = folder.server(replaying: Cassette("dogs", mode: mode))
            for (status, body) in [(404, error), (200, #"{"id": 1}"#)] {
                response.withLock { $0 = (status, [], body) }
                _ = try await server.session.send(URLRequest(url: real.url("/dogs")))
            }
            let issues = server.state.withLock { $0 }.finish(testHasPassed: true)

            #expect(issues.count == (mode == .check ? 1 : 0))
            #expect(issues.allSatisfy { $0.message.contains("- code is gone; reason is new.") })
        }
    }

    @Test func requestsWithOtherIdentifiersMeetTheEntriesInTurn() async throws {
        for (mode, bodies) in [
            (Cassette.Mode.all, [(1, "1"), (2, #""a""#)]),
            (.check, [(8, "2"), (9, #""b""#), (7, "true")]),
        ] {
            let server = folder.server(replaying: Cassette("dogs", mode: mode))
            for (id, value) in bodies {
                response.withLock { $0 = (200, [], #"{"x": \#(value)}"#) }
                _ = try await server.session.send(URLRequest(url: real.url("/dogs/\(id)")))
            }
            let issues = server.state.withLock { $0 }.finish(testHasPassed: true)

            #expect(issues.count == (mode == .check ? 1 : 0))
            let change = "- x is now boolean or string, and was string."
            #expect(issues.allSatisfy { $0.message.contains(change) })
        }
    }

    @Test func recordedRedirectIsNoChange() async throws {
        let moved = try LoopbackServer { request in
            request.path.hasPrefix("/v2")
                ? LoopbackServer.response(200, ["Content-Type: application/json"], body: "[1]")
                : LoopbackServer.response(301, ["Location: /v2/dogs"], body: "")
        }
        for mode in [Cassette.Mode.all, .check] {
            let server = folder.server(replaying: Cassette("dogs", mode: mode))
            _ = try await server.session.send(URLRequest(url: moved.url("/dogs")))

            #expect(server.state.withLock { $0 }.finish(testHasPassed: true) == [])
        }
        #expect(try folder.entries("dogs").map(\.response.status) == [301, 200])
    }

    @Test func redirectToTheSameBodyIsAWarning() async throws {
        try record(["dogs/1"])
        let body = recorded
        let moved = try LoopbackServer { request in
            request.path.hasPrefix("/v2")
                ? LoopbackServer.response(200, ["Content-Type: application/json"], body: body)
                : LoopbackServer.response(301, ["Location: /v2/dogs"], body: "")
        }
        var entries = try folder.entries("dogs")
        entries[0] = entries[0].sending(moved.url("/dogs/1"))
        try folder.write(entries, "dogs")
        let server = folder.server(replaying: Cassette("dogs", mode: .check))
        _ = try await server.session.send(URLRequest(url: moved.url("/dogs/1")))

        let issues = server.state.withLock { $0 }.finish(testHasPassed: true)

        #expect(issues.map(\.isWarning) == [true])
        #expect(issues.first?.message.contains("The request is now redirected to http") == true)
    }

    @Test func eachOfSeveralRecordingsIsCompared() async throws {
        response.withLock { $0 = (200, [], recorded) }
        let names = ["dogs", "cats"]
        func send(_ name: String, to server: MockServer) async throws {
            _ = try await server.session.send(URLRequest(url: real.url("/\(name)")))
        }
        for name in names {
            let server = folder.server(replaying: Cassette(name, mode: .all))
            try await send(name, to: server)
            server.verify()
        }

        let server = MockServer()
        for name in names { server.replay(folder.moved(Cassette(name, mode: .check))) }
        for name in names { try await send(name, to: server) }

        #expect(server.failuresOfVerification() == [])
    }

    @Test func secretsOfALiveResponseAreMasked() async throws {
        let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
        try record(body: #"{"a": {"x": 1}}"#)

        let issues = try await run(
            .check, fields: ["Sunset: tomorrow", "Link: <https://a.example/?token=\(secret)>"],
            body: #"{"a": {"x": "\#(secret)", "\#(secret)": 1}}"#, isTyped: false)

        #expect(issues.count == 1)
        #expect(!issues.contains { $0.message.contains(secret) })
    }
}
