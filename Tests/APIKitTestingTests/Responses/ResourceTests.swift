import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct ResourceTests {
    let server = MockServer.current

    /// The head and the body of a response.
    struct Outcome: Equatable, Sendable {
        var status: Int
        var body = ""
        var range: String?
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var headers: [String: String]
        var outcome: Outcome
        var testDescription: String { "\(headers): \(outcome.status)" }

        init(
            _ headers: [String: String], _ status: Int, _ body: String = "", _ range: String? = nil
        ) {
            self.headers = headers
            outcome = Outcome(status: status, body: body, range: range)
        }
    }

    private static let digits = "0123456789"
    private static let earlier = "Mon, 31 Aug 2026 10:00:00 GMT"
    private static let modified = "Tue, 01 Sep 2026 10:00:00 GMT"
    private static let later = "Wed, 02 Sep 2026 10:00:00 GMT"
    private static let whole = Outcome(status: 200, body: digits)

    private static let resource = MockResponse.resource(
        .text(digits).header("ETag", "\"1\"").header("Last-Modified", modified))

    private func load(
        _ headers: [String: String] = [:], method: String = "GET", withURLSession: Bool = true
    ) async throws -> (outcome: Outcome, head: HTTPURLResponse) {
        let client: any HTTPTransport = withURLSession ? server.session : server
        let (data, response) = try await client.send(.make(method, "/a", headers: headers))
        let head = try #require(response as? HTTPURLResponse)
        return (
            Outcome(
                status: head.statusCode, body: String(decoding: data, as: UTF8.self),
                range: head.value(forHTTPHeaderField: "Content-Range")), head
        )
    }

    /// `ResourceLawTests` has the cases without odd syntax.
    private static let conditions: [Case] = [
        Case([:], 200, digits),
        Case(["If-None-Match": "\"1\""], 304),
        Case(["If-None-Match": "\"a,b\", W/\"1\""], 304),
        Case(["If-None-Match": ",\"0\" ,\"1\","], 304),
        Case(["If-None-Match": "1"], 200, digits),
        Case(["If-None-Match": "w/\"1\""], 200, digits),
        Case(["If-None-Match": ""], 200, digits),
        Case(["If-Modified-Since": "Tuesday, 01-Sep-26 10:00:00 GMT"], 304),
        Case(["If-Modified-Since": "Tue Sep  1 10:00:00 2026"], 304),
        Case(["If-Modified-Since": "yesterday"], 200, digits),
        Case(["If-Modified-Since": "2026-09-02T10:00:00Z"], 200, digits),
        Case(["If-Match": "\"2\""], 412),
        Case(["If-Match": ""], 412),
        Case(["If-Unmodified-Since": "never"], 200, digits),
    ]

    private static let ranges: [Case] = [
        Case(["Range": "bytes=2-4"], 206, "234", "bytes 2-4/10"),
        Case(["Range": "Bytes= ,2-4,"], 206, "234", "bytes 2-4/10"),
        Case(["Range": "bytes=9-99999999999999999999"], 206, "9", "bytes 9-9/10"),
        Case(["Range": "bytes=9-\(Int.max)"], 206, "9", "bytes 9-9/10"),
        Case(["Range": "bytes=-99999999999999999999"], 206, digits, "bytes 0-9/10"),
        Case(["Range": "bytes=10-"], 416, "", "bytes */10"),
        Case(["Range": "bytes=99999999999999999999-"], 416, "", "bytes */10"),
        Case(["Range": "bytes=0-1,4-5"], 200, digits),
        Case(["Range": "bytes="], 200, digits),
        Case(["Range": "bytes=-"], 200, digits),
        Case(["Range": "bytes=a-b"], 200, digits),
        Case(["Range": "bytes=+1-2"], 200, digits),
        Case(["Range": "bytes 1-2"], 200, digits),
        Case(["Range": "items=1-2"], 200, digits),
        Case(["Range": "bytes=\u{661}-"], 200, digits),
        Case(["Range": "bytes=4-", "If-Range": "\"1\""], 206, "456789", "bytes 4-9/10"),
        Case(["Range": "bytes=4-", "If-Range": "\"0\", \"1\""], 200, digits),
        Case(["Range": "bytes=4-", "If-Range": "soon"], 200, digits),
    ]

    @Test(arguments: [false, true], conditions + ranges)
    func resourceFollowsConditionsAndRanges(withURLSession: Bool, example: Case) async throws {
        server.on(.any, reply: Self.resource)

        let (outcome, _) = try await load(example.headers, withURLSession: withURLSession)

        #expect(outcome == example.outcome)
    }

    @Test(arguments: [
        Case(["Range": "bytes=2-4"], 200), Case(["Range": "bytes=99-"], 200),
        Case(["If-None-Match": "\"1\""], 304), Case(["If-Match": "\"2\""], 412),
    ])
    func headIgnoresRanges(example: Case) async throws {
        server.on(.any, reply: Self.resource)

        let (outcome, head) = try await load(example.headers, method: "HEAD")

        #expect(outcome == example.outcome)
        let length = example.outcome.status == 200 ? "10" : nil
        #expect(head.value(forHTTPHeaderField: "Content-Length") == length)
    }

    @Test(
        arguments: ["POST", "PUT", "DELETE"],
        [
            Case(["Range": "bytes=2-4"], 200, digits), Case(["If-Match": "\"1\""], 200, digits),
            Case(["If-Match": "\"2\""], 412), Case(["If-Unmodified-Since": earlier], 412),
            Case(["If-None-Match": "*"], 412), Case(["If-None-Match": "\"2\""], 200, digits),
            Case(["If-Modified-Since": later], 200, digits),
        ])
    func otherMethodsHaveConditionsWithoutRanges(method: String, example: Case) async throws {
        server.on(.any, reply: Self.resource)

        #expect(try await load(example.headers, method: method).outcome == example.outcome)
    }

    @Test func optionsHasNoConditions() async throws {
        server.on(.any, reply: Self.resource)

        let (outcome, _) = try await load(
            ["If-Match": "\"2\"", "If-None-Match": "*"], method: "OPTIONS")

        #expect(outcome == Self.whole)
    }

    @Test(arguments: [
        Case(["Range": "bytes=0-"], 416, "", "bytes */0"), Case(["Range": "bytes=-1"], 200),
        Case(["Range": "bytes=-0"], 416, "", "bytes */0"), Case([:], 200),
    ])
    func emptyRepresentationHasNoPart(example: Case) async throws {
        server.on(.any, reply: .resource(.text("")))

        #expect(try await load(example.headers).outcome == example.outcome)
    }

    @Test func tagIsMadeFromBytes() async throws {
        func tag(_ text: String) async throws -> String {
            server.on(.any, reply: .resource(.text(text)))
            return try #require(try await load().head.value(forHTTPHeaderField: "ETag"))
        }

        let (first, same, other) = (try await tag("a"), try await tag("a"), try await tag("b"))

        #expect(first == same)
        #expect(first != other)
        // The hash of "a" in the specification of FNV-1a.
        #expect(first == "\"af63dc4c8601ec8c\"")
        #expect(try await load(["If-None-Match": other]).outcome.status == 304)
    }

    @Test(arguments: [
        (["If-None-Match": "\"1\""], nil, nil, "\"1\""),
        (["Range": "bytes=4-5"], "2", "text/plain; charset=utf-8", "\"1\""),
        (["Range": "bytes=99-"], nil, nil, "\"1\""),
        ([:], "10", "text/plain; charset=utf-8", "\"1\""),
    ])
    func headDescribesContent(
        headers: [String: String], length: String?, type: String?, tag: String?
    ) async throws {
        server.on(.any, reply: Self.resource.header("X-Own", "1"))

        let head = try await load(headers).head

        #expect(head.value(forHTTPHeaderField: "Content-Length") == length)
        #expect(head.value(forHTTPHeaderField: "Content-Type") == type)
        #expect(head.value(forHTTPHeaderField: "ETag") == tag)
        #expect(head.value(forHTTPHeaderField: "Last-Modified") == Self.modified)
        #expect(head.value(forHTTPHeaderField: "Accept-Ranges") == "bytes")
        #expect(head.value(forHTTPHeaderField: "X-Own") == "1")
    }

    @Test func validatorAfterwardsReplacesTagOfBytes() async throws {
        server.on(.any, reply: .resource(.text(Self.digits)).header("etag", "\"2\""))

        #expect(try await load(["If-None-Match": "\"2\""]).outcome.status == 304)
    }

    @Test func resourceReplacesAcceptRanges() async throws {
        server.on(.any, reply: .resource(.text(Self.digits).header("accept-ranges", "none")))

        let head = try await load().head

        #expect(head.value(forHTTPHeaderField: "Accept-Ranges") == "bytes")
    }

    @Test func responderReturnsResource() async throws {
        server.on(.any) { _ in Self.resource }

        #expect(try await load(["If-None-Match": "\"1\""]).outcome.status == 304)
    }

    @Test func delayAndTruncationApplyToPart() async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(.any, reply: Self.resource.delayed(.seconds(1)).truncated(after: 3))

        let part = Task { try await server.send(.make(headers: ["Range": "bytes=8-"])) }
        await clock.advanceToNextDeadline()
        #expect(try await part.value.0 == Data("89".utf8))
        let broken = Task { try await server.send(.make(headers: ["Range": "bytes=4-"])) }
        await clock.advanceToNextDeadline()
        await #expect(throws: URLError.self) { try await broken.value }
    }
}
