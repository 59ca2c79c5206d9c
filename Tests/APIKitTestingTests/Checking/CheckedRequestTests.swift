import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// The requests that a check sends, and the entries that their responses are compared with.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct CheckedRequestTests {
    private let check: CheckedServer

    init() throws {
        check = try CheckedServer()
    }

    @Test func requestWithALiveIdentifierIsComparedWithItsEntry() async throws {
        try check.record(["dogs", "dogs/17", "dogs/18"])

        let issues = try await check.run(
            .check, ["dogs", "dogs/829", "dogs/18"],
            body: check.recorded.replacing(#""breed""#, with: #""race""#))

        #expect(issues.count == 3)
        #expect(issues.contains { $0.message.contains("(entry 2,") && $0.message.contains("/829") })
    }

    @Test func checkWithoutAFileOrARequestFails() async throws {
        let server = check.folder.server(replaying: Cassette("dogs", mode: .check))
        #expect(server.failures.first?.message.contains("does not exist") == true)
        #expect(try await server.failuresOfVerification().count == 1)

        try check.record()
        let issues = try await check.run(.check, [], body: check.recorded)
        #expect(issues.first?.message.contains("entry 1 not requested") == true)
    }

    @Test(arguments: [true, false])
    func unsafeRequestIsSentOnlyIfTheCassetteAllowsIt(isAllowed: Bool) async throws {
        for mode in [Cassette.Mode.all, .check] {
            check.response.withLock { $0 = (200, [], #""{method} \#(mode)""#) }
            let server = check.folder.server(
                replaying: Cassette(
                    "dogs", mode: mode, options: isAllowed ? [.checksAllMethods] : []))
            let (body, _) = try await server.session.send(
                .make("POST", check.real.url("/dogs").absoluteString))

            #expect(try await server.failuresOfVerification() == [])
            let sent = mode == .all || isAllowed ? "\(mode)" : "all"
            #expect(String(decoding: body, as: UTF8.self) == "\"POST \(sent)\"")
        }
    }

    @Test(arguments: [[200], [200, 204], [401, 200]])
    func checkThatLacksALiveTokenNamesTheOption(statuses: [Int]) async throws {
        let refusal = statuses == [200] ? 403 : 401
        for mode in [Cassette.Mode.all, .check] {
            let server = check.folder.server(replaying: Cassette("dogs", mode: mode))
            var login = URLRequest(url: check.real.url("/token"))
            login.httpMethod = "POST"
            check.response.withLock { $0 = (200, [], "{}") }
            _ = try await server.session.send(login)
            for (index, status) in statuses.enumerated() {
                let isRefused = mode == .check && status == 200
                check.response.withLock { $0 = (isRefused ? refusal : status, [], "{}") }
                let path = status == 204 ? "/\(index)" : "/dogs"
                _ = try await server.session.send(URLRequest(url: check.real.url(path)))
            }
            let issues = server.state.withLock { $0 }.finish(testHasPassed: mode == .all)

            guard mode == .check else { continue }
            let message = try #require(issues.first).message
            #expect(issues.map(\.isWarning) == [false])
            #expect(message.contains("entry 1 not sent (POST); entry"), "\(message)")
            #expect(message.contains(" status \(refusal).\nA check sends only GET, HEAD and"))
            #expect(message.hasSuffix("pass options: [.checksAllMethods]."))
            #expect(message.hasPrefix("Nothing was compared.") == (statuses == [200]))
        }
    }

    @Test func unsafeRequestWithoutAnEntryIsNotSent() async throws {
        try check.record()
        let server = check.folder.server(replaying: Cassette("dogs", mode: .check))

        await server.error(of: .make("DELETE", check.real.url("/dogs").absoluteString))
        #expect(server.failures.map { $0.message.contains(".checksAllMethods].\nTo") } == [true])
        _ = try await server.failuresOfVerification()
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
                let server = check.folder.server(replaying: Cassette("dogs", mode: mode))
                let client = APIClient(
                    baseURL: url, transport: isSession ? server.session : server)
                let response = try await client.stream(News(), with: ())
                for try await _ in response.value.events.decoded(as: Item.self, until: "[DONE]") {}

                #expect(try await server.failuresOfVerification() == [])
                #expect(try check.folder.entries("dogs").map(\.response.body.count) == [31])
            }
        }
    }

    @Test func pollingOnceMoreIsNoChange() async throws {
        let done = ("dogs", 200, #"[{"id": 1, "breed": "akita", "result": {"x": 1}}]"#)
        let pending = ("dogs", 200, #"[{"id": 1, "breed": "akita"}]"#)

        #expect(
            try await check.changes(from: [pending, done], to: [pending, pending, done]) == [])
    }

    @Test func responsesOfOneClassAreComparedWithEachOther() async throws {
        let missing = ("dogs", 404, #"{"message": "x"}"#)
        let found = #"[{"id": 1, "breed": "akita"}]"#

        let issues = try await check.changes(
            from: [missing, ("dogs", 200, found)],
            to: [missing, ("dogs", 200, found.replacing("breed", with: "race"))])

        #expect(issues.map(\.isWarning) == [true])
        #expect(issues.first?.message.contains("- [].breed is gone; race is new.\n") == true)
    }

    @Test func errorIsComparedWithTheRecordedErrorAlone() async throws {
        let dog = ("dogs", 200, #"{"id": 1}"#)

        let issues = try await check.changes(
            from: [("dogs", 404, #"{"code": 1}"#), dog],
            to: [("dogs", 404, #"{"reason": 1}"#), dog])

        #expect(issues.count == 1)
        #expect(issues.first?.message.contains("- code is gone; reason is new.") == true)
    }

    @Test func requestsWithOtherIdentifiersMeetTheEntriesInTurn() async throws {
        func dog(_ id: Int, _ value: String) -> CheckedServer.Reply {
            ("dogs/\(id)", 200, #"{"x": \#(value)}"#)
        }

        let issues = try await check.changes(
            from: [dog(1, "1"), dog(2, #""a""#)],
            to: [dog(8, "2"), dog(9, #""b""#), dog(7, "true")])

        #expect(issues.count == 1)
        let change = "- x is now boolean or string, and was string."
        #expect(issues.first?.message.contains(change) == true)
    }

    @Test func recordedRedirectIsNoChange() async throws {
        let moved = try LoopbackServer { request in
            request.path.hasPrefix("/v2")
                ? LoopbackServer.response(200, ["Content-Type: application/json"], body: "[1]")
                : LoopbackServer.response(301, ["Location: /v2/dogs"], body: "")
        }
        for mode in [Cassette.Mode.all, .check] {
            let server = check.folder.server(replaying: Cassette("dogs", mode: mode))
            _ = try await server.session.send(URLRequest(url: moved.url("/dogs")))

            #expect(server.state.withLock { $0 }.finish(testHasPassed: true) == [])
        }
        #expect(try check.folder.entries("dogs").map(\.response.status) == [301, 200])
    }

    @Test func redirectToTheSameBodyIsAWarning() async throws {
        try check.record(["dogs/1"])
        let body = check.recorded
        let moved = try LoopbackServer { request in
            request.path.hasPrefix("/v2")
                ? LoopbackServer.response(200, ["Content-Type: application/json"], body: body)
                : LoopbackServer.response(301, ["Location: /v2/dogs"], body: "")
        }
        var entries = try check.folder.entries("dogs")
        try entries.change(at: 0) { $0 = $0.sending(moved.url("/dogs/1")) }
        try check.folder.write(entries, "dogs")
        let server = check.folder.server(replaying: Cassette("dogs", mode: .check))
        _ = try await server.session.send(URLRequest(url: moved.url("/dogs/1")))

        let issues = server.state.withLock { $0 }.finish(testHasPassed: true)

        #expect(issues.map(\.isWarning) == [true])
        #expect(issues.first?.message.contains("The request is now redirected to http") == true)
    }

    @Test func eachOfSeveralRecordingsIsCompared() async throws {
        check.response.withLock { $0 = (200, [], check.recorded) }
        let names = ["dogs", "cats"]
        func send(_ name: String, to server: MockServer) async throws {
            _ = try await server.session.send(URLRequest(url: check.real.url("/\(name)")))
        }
        for name in names {
            let server = check.folder.server(replaying: Cassette(name, mode: .all))
            try await send(name, to: server)
            server.verify()
        }

        let server = MockServer()
        for name in names { server.replay(check.folder.moved(Cassette(name, mode: .check))) }
        for name in names { try await send(name, to: server) }

        #expect(try await server.failuresOfVerification() == [])
    }
}
