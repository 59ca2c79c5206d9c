import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn, .timeLimit(.minutes(10))) struct MockResponseReplayingTests {
    let server = MockServer()

    private func load(
        _ method: String = "GET", status: Int = 200, headers: [(String, String)] = [],
        reply: String = ""
    ) async throws -> (Data, HTTPURLResponse) {
        let entry = RecordedExchange.make(
            method, status: status,
            responseFields: headers.map { HeaderField(name: $0.0, value: $0.1) }, reply: reply)
        server.replay(try HARFile(data: HARFile(entries: [entry]).data).entries)
        var request = URLRequest.make(method)
        if status == 304 { request.setValue("\"1\"", forHTTPHeaderField: "If-None-Match") }
        let (data, response) = try await server.session.send(request)
        return (data, try #require(response as? HTTPURLResponse))
    }

    @Test func replaysStatusHeadersAndBody() async throws {
        let (data, response) = try await load(
            status: 418, headers: [("content-type", "text/plain"), ("x-a", "1"), ("X-A", "2")],
            reply: "short")

        #expect(data == Data("short".utf8))
        #expect(response.statusCode == 418)
        #expect(response.value(forHTTPHeaderField: "X-A") == "1, 2")
        #expect(response.mimeType == "text/plain")
        #expect(response.value(forHTTPHeaderField: "Content-Length") == nil)
    }

    @Test func recordedResponseNamesTheMistakeInItsPattern() throws {
        let folder = try RecordingFolder()
        try folder.write(String(decoding: HARFile(entries: [.make()]).data, as: UTF8.self))
        let pattern = RequestPattern.get("/").json(at: "a..b", 1)

        let response = MockResponse.recorded(pattern, in: folder.cassette(mode: .none))
        #expect(response.problem?.hasPrefix(#""a..b" is not a path to a JSON value."#) == true)
    }

    @Test(arguments: [("HEAD", 200), ("GET", 304)])
    func responseWithoutABodyKeepsItsLength(method: String, status: Int) async throws {
        let (data, response) = try await load(
            method, status: status, headers: [("Content-Length", "20")])

        #expect(data.isEmpty)
        #expect(response.value(forHTTPHeaderField: "Content-Length") == "20")
    }

    @Test(
        arguments: [
            // An earlier entry, the body that a browser has written, or neither.
            ([(200, "first"), (304, "")], ["first", "first"]), ([(304, "own")], ["own"]),
            ([(304, ""), (200, "later")], nil),
        ] as [([(Int, String)], [String]?)])
    func requestWithoutAConditionReceivesNo304(
        replies: [(Int, String)], bodies: [String]?
    ) async throws {
        server.replay(replies.map { .make(status: $0.0, reply: $0.1) })
        let load = {
            let (data, response) = try await server.session.send(.make())
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            return String(decoding: data, as: UTF8.self)
        }

        guard let bodies else {
            let error = await #expect(throws: TestFailure.self) { try await load() }
            #expect(error?.message.hasPrefix("Entry 1 of Recordings/users.har is a 304") == true)
            _ = try await load()
            return
        }
        for body in bodies { #expect(try await load() == body) }
    }

    @Test(arguments: [
        "Fri, 02 Jan 1970 00:00:00 GMT", "Fri, 02-Jan-1970 00:00:00 GMT",
        "Friday, 02-Jan-70 00:00:00 GMT", "fri, 2 january 1970 00:00:00 utc",
        "Fri Jan 02 1970 00:00:00 GMT+0000", "\"Fri, 02 Jan 1970 00:00:00 +0000\"",
    ])
    func cookieLivesAsLongAsOnTheDayOfTheRecording(date: String) throws {
        let fields = ["a=1; expires=\(date); Path=/", "b=2; Expires=Wed, 31 Dec 1969 00:00:00 GMT"]
        let entry = RecordedExchange.make(
            responseFields: fields.map { .init(name: "Set-Cookie", value: $0) })

        let field = MockResponse(replaying: entry).headers["Set-Cookie"] ?? ""
        let dates = field.matches(of: #/(?i)expires=([^;]*GMT)/#)
            .compactMap { HTTPDate.parse(String($0.1)) }

        #expect(dates.count == 2)
        let seconds = dates.map { ($0.timeIntervalSinceNow / 60).rounded() * 60 }
        #expect(seconds == [86_400, -86_400])
        #expect(field.hasPrefix("a=1; expires="))
        #expect(field.contains("GMT; Path=/, b=2; Expires="))
    }

    @Test(arguments: [
        "a=1; Expires=0", "a=1; Expires=32 Jan 1970 00:00:00", "a=1; Expires",
        "a=Expires=2 Jan 1970",
    ])
    func cookieWithoutADateStays(field: String) {
        let entry = RecordedExchange.make(
            responseFields: [.init(name: "Set-Cookie", value: field)])

        #expect(MockResponse(replaying: entry).headers["Set-Cookie"] == field)
    }

    @Test func statusOfNoContentHasNoBody() async throws {
        #expect(try await load(status: 204, reply: "unexpected").0.isEmpty)
    }

    @Test func sessionStoresEachCookie() async throws {
        _ = try await load(headers: [
            ("Set-Cookie", "a=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT; Path=/"),
            ("set-cookie", "b=2; Path=/\nc=3; Path=/"),
        ])

        let storage = server.session.configuration.httpCookieStorage
        let cookies = storage?.cookies(for: .make("/")) ?? []
        #expect(cookies.map { "\($0.name)=\($0.value)" }.sorted() == ["a=1", "b=2", "c=3"])
    }

    @Test func fieldsOfTheHTTP2HeadAreIgnored() async throws {
        let (_, response) = try await load(headers: [(":status", "200"), ("x-a", "1")])

        #expect(response.value(forHTTPHeaderField: "X-A") == "1")
        #expect(response.value(forHTTPHeaderField: ":status") == nil)
    }

    @Test func invalidEntryFailsTheTestOnce() async throws {
        await #expect(throws: TestFailure.self) { try await load(status: 1000) }

        #expect(
            server.failures.map(\.message) == [
                "Entry 1 of Recordings/users.har is invalid: 1000 is not the status of a final "
                    + "response. Use a number from 200 through 999."
            ])
    }
}
