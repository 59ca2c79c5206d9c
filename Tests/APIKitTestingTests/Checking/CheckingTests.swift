import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// Recordings that are compared with a server that has changed since.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct CheckingTests {
    private let check: CheckedServer

    init() throws {
        check = try CheckedServer()
    }

    @Test func unchangedServerHasNoChanges() async throws {
        #expect(try await check.run(.all, body: check.recorded) == [])
        let file = check.folder.text("dogs")

        #expect(
            try await check.run(.check, body: check.recorded.replacing("akita", with: "beagle"))
                == [])
        #expect(check.folder.text("dogs") == file)
        #expect(check.folder.names == ["dogs.har"])
    }

    @Test(arguments: [
        (
            #"{"id": "#, #"{"no": "#, false,
            "[].id is gone; no is new. CheckedServer.GetDogs cannot parse the body: "
        ),
        (
            #""breed": "#, #""race": "#, true,
            "[].breed is gone; race is new. CheckedServer.GetDogs gives nil for [].breed."
        ),
        (
            #""boxer""#, "7", false,
            "[].breed is now number or string, and was string. CheckedServer.GetDogs cannot parse "
                + "the body: "
        ),
    ])
    func changeIsJudgedByTheRequestType(
        old: String, new: String, isWarning: Bool, line: String
    ) async throws {
        try check.record()

        let issues = try await check.run(.check, body: check.recorded.replacing(old, with: new))

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
        try check.record()

        #expect(try await check.run(.check, body: check.recorded.replacing(old, with: new)) == [])
    }

    @Test func changeThatTheClientDoesNotNoticeIsOnlyCounted() async throws {
        try check.record()
        let body = check.recorded.replacing(#", "tag": "#, with: #", "label": "#)

        #expect(try await check.run(.check, body: body) == [])
        let gone = try await check.run(.check, body: body.replacing(#""breed""#, with: #""race""#))
        #expect(
            gone.first?.message
                .contains("\n3 other changes that this client does not notice.\n") == true)
    }

    @Test func requestTypesOfOneURLAreJudgedByTheirOwnParsers() async throws {
        struct GetTags: APIRequest {
            struct Tagged: Decodable, Sendable { var tag: Int? }
            typealias ResponseDataType = [Tagged]

            func makeRequest(from path: String) throws -> URLRequest {
                try URLRequest(.get, APIPath(verbatim: path))
            }
        }
        let changed = check.recorded.replacing(#""tag""#, with: #""label""#)
        for (mode, body) in [(Cassette.Mode.all, check.recorded), (.check, changed)] {
            check.response.withLock { $0.body = body }
            let server = check.folder.server(replaying: Cassette("dogs", mode: mode))
            let client = APIClient(baseURL: check.real.url("/"), transport: server.session)
            _ = try await client.load(GetTags(), with: "dogs")
            _ = try await client.load(CheckedServer.GetDogs(), with: "dogs")

            let issues = server.state.withLock { $0 }.finish(testHasPassed: true)

            #expect(issues.count == (mode == .check ? 1 : 0))
            let change =
                "- [].tag is gone; label is new. CheckingTests.GetTags gives nil for [].tag.\n"
            #expect(issues.allSatisfy { $0.message.contains(change) })
        }
    }

    @Test func everyMemberCountsAsReadWithoutARequestType() async throws {
        try check.record()

        let issues = try await check.run(
            .check, body: check.recorded.replacing(#""tag""#, with: #""label""#), isTyped: false)

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
        try check.record()

        let issues = try await check.run(
            .check, status: status, fields: fields, body: body ?? check.recorded)

        #expect(issues.count == 1)
        #expect(issues.first?.isWarning == isWarning)
        #expect(issues.first?.message.contains(line) == true)
    }

    @Test(arguments: [401, 403, 429, 500, 503])
    func temporaryResponseIsNotCompared(status: Int) async throws {
        try check.record()

        let issues = try await check.run(.check, status: status, body: "{}")

        #expect(
            issues.map(\.message) == [
                "Nothing was compared. Recordings/dogs.har: 0 compared by body, 0 by head only, 1 not "
                    + "compared: entry 1 status \(status)."
            ])
    }

    @Test func recordedFailureOfTheServerIsNotCompared() async throws {
        check.response.withLock { $0 = (200, [], check.recorded) }
        _ = try await check.run(.all, ["dogs", "cats"], status: 500, body: "{}")
        let file = try check.folder.entries("dogs")
        #expect(file.map(\.response.status) == [500, 500])

        let issues = try await check.run(.check, ["dogs", "cats"], body: check.recorded)

        #expect(issues.first?.message.contains("entry 1 was recorded with an error") == true)
    }

    @Test func serverThatCannotBeReachedIsNotCompared() async throws {
        try check.record()
        var file = HARFile(entries: try check.folder.entries("dogs"))
        let port = try LoopbackServer { _ in "" }.url("/dogs")
        try file.entries.change(at: 0) { $0 = $0.sending(port) }
        try check.folder.write(file.entries, "dogs")

        let server = check.folder.server(replaying: Cassette("dogs", mode: .check))
        _ = await Result.of { try await server.session.send(URLRequest(url: port)) }

        let failures = try await server.failuresOfVerification()
        #expect(failures.first?.contains("entry 1 no response: ") == true)
    }

    @Test func secretsOfALiveResponseAreMasked() async throws {
        let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
        try check.record(body: #"{"a": {"x": 1}}"#)

        let issues = try await check.run(
            .check, fields: ["Sunset: tomorrow", "Link: <https://a.example/?token=\(secret)>"],
            body: #"{"a": {"x": "\#(secret)", "\#(secret)": 1}}"#, isTyped: false)

        #expect(issues.count == 1)
        #expect(!issues.contains { $0.message.contains(secret) })
    }
}
