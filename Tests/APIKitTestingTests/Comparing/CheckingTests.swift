import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// Recordings that are compared with a server that has changed since.
@Suite(.timeLimit(.minutes(10))) struct CheckingTests {
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
        return tape.finish(testHasPassed: true)
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
            "GetDogs cannot parse the body: [0] has no \"id\""
        ),
        (
            #""breed": "#, #""race": "#, true,
            "[].breed is gone. GetDogs reads it, and does not fail."
        ),
        (
            #""boxer""#, "null", true,
            "[].breed is now also null. GetDogs reads it, and does not fail."
        ),
        (#""boxer""#, "7", false, "GetDogs cannot parse the body: [1].breed"),
    ])
    func changeIsJudgedByTheRequestType(
        old: String, new: String, isWarning: Bool, line: String
    ) async throws {
        _ = try await run(.all, body: recorded)

        let issues = try await run(.check, body: recorded.replacing(old, with: new))

        let issue = try #require(issues.first)
        #expect(issue.message.contains(line), "\(issue.message)")
        #expect(issues.count == 1 && issue.isWarning == isWarning)
        #expect(
            issue.message.hasPrefix("The server has changed since Recordings/dogs.har (entry 1, 20")
        )
        #expect(issue.message.contains("→ 200: compared 5 elements with 5"))
        #expect(issue.message.contains("APIKIT_RECORD=all swift test --filter a"))
        #expect(issue.line == 7)
    }

    @Test func anotherFormatOfAStringIsAWarningIfItIsParsed() async throws {
        let body = recorded.replacing(#""akita""#, with: #""2026-01-31T12:00:00Z""#)
            .replacing(#""boxer""#, with: #""2026-01-31T12:00:00Z""#)
        _ = try await run(.all, body: body)

        let issues = try await run(.check, body: body.replacing("00Z", with: "00.5Z"))

        #expect(issues.map(\.isWarning) == [true])
        let change = "[].breed is now date with fractions, and was date. GetDogs reads it"
        #expect(issues.first?.message.contains(change) == true)
    }

    @Test func changeThatNothingReadsIsOnlyCounted() async throws {
        _ = try await run(.all, body: recorded)
        let body = recorded.replacing(#", "tag": "#, with: #", "label": "#)

        #expect(try await run(.check, body: body) == [])
        let gone = try await run(.check, body: body.replacing(#""breed""#, with: #""race""#))
        #expect(
            gone.first?.message.contains("\n3 more changes of members that nothing reads") == true)
    }

    @Test func everyMemberCountsAsReadWithoutARequestType() async throws {
        _ = try await run(.all, body: recorded, isTyped: false)

        let issues = try await run(
            .check, body: recorded.replacing(#""tag""#, with: #""label""#), isTyped: false)

        #expect(issues.first?.message.contains("- [].tag is gone.\n") == true)
    }

    @Test(
        arguments: [
            (500, [], "{}", false, "The status is now 500, and was 200."),
            (203, [], nil, true, "The status is now 203, and was 200."),
            (200, ["Sunset: Thu, 01 Apr 2027 00:00:00 GMT"], nil, true, "Sunset: Thu, 01 Apr 2027"),
            (200, ["Deprecation: @1688169599"], nil, true, "Deprecation: @1688169599"),
        ] as [(Int, [String], String?, Bool, String)])
    func headIsComparedToo(
        status: Int, fields: [String], body: String?, isWarning: Bool, line: String
    ) async throws {
        _ = try await run(.all, body: recorded)

        let issues = try await run(.check, status: status, fields: fields, body: body ?? recorded)

        #expect(issues.count == 1)
        #expect(issues.first?.isWarning == isWarning)
        #expect(issues.first?.message.contains(line) == true)
    }

    @Test func responseThatRefusesAccessIsNotCompared() async throws {
        _ = try await run(.all, body: recorded)

        let issues = try await run(.check, status: 401, body: "{}")

        #expect(
            issues.map(\.message) == [
                "Nothing was compared. Recordings/dogs.har: 0 of 1 entries compared; not compared: "
                    + "entry 1 (401)."
            ])
    }

    @Test func requestWithALiveIdentifierIsComparedWithItsEntry() async throws {
        _ = try await run(.all, ["dogs", "dogs/17", "dogs/18"], body: recorded)

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

        _ = try await run(.all, body: recorded)
        let issues = try await run(.check, [], body: recorded)
        #expect(issues.first?.message.contains("entry 1 (not requested)") == true)
    }

    @Test(arguments: [Cassette.Mode.all, .check])
    func unsafeRequestCanStayWithTheRecording(mode: Cassette.Mode) async throws {
        for mode in [.all, mode] {
            response.withLock { $0 = (200, [], #""{method} \#(mode)""#) }
            let server = folder.server(
                replaying: Cassette("dogs", mode: mode, options: [.checksSafeMethods]))
            var request = URLRequest(url: real.url("/dogs"))
            request.httpMethod = "POST"
            let (body, _) = try await server.session.send(request)
            _ = server.failuresOfVerification()

            #expect(String(decoding: body, as: UTF8.self) == #""POST all""#)
        }
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
        _ = try await run(.all, body: #"{"a": {"x": 1}}"#, isTyped: false)

        let issues = try await run(
            .check, fields: ["Sunset: tomorrow", "Link: <https://a.example/?token=\(secret)>"],
            body: #"{"a": {"x": "\#(secret)", "\#(secret)": 1}}"#, isTyped: false)

        #expect(issues.count == 1)
        #expect(!issues.contains { $0.message.contains(secret) })
    }
}
