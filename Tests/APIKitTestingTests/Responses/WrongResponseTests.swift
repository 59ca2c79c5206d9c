import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct WrongResponseTests {
    private static func noFinalStatus(_ status: Int) -> String {
        "\(status) is not the status of a final response. Use a number from 200 through 999"
    }

    private static func lineBreak(in field: String) -> String {
        "the value of the header field \(field) contains a line break or NUL. Remove it"
    }

    private static let mistakes: [(response: MockResponse, problem: String)] = [
        (.status(0), noFinalStatus(0)), (.json([1], status: -1), noFinalStatus(-1)),
        (.status(.min), noFinalStatus(.min)), (.status(103), noFinalStatus(103)),
        (.status(199), noFinalStatus(199)),
        (.stream([], status: 1_000), noFinalStatus(1000)),
        (
            .redirect(to: "/a", status: 201),
            "201 is not the status of a redirect. Use 301, 302, 303, 307 or 308"
        ),
        (
            .status(200).header("X A", "1"),
            #""X A" is not a valid header name. Use a token, such as X-Trace-ID"#
        ),
        (.status(200).header("X-Token", "a\r\nb"), lineBreak(in: "X-Token")),
        (.data(Data(), contentType: "a\0"), lineBreak(in: "Content-Type")),
        (
            .status(200).cookie("a b", "1"),
            #""a b" is not a valid cookie name. Use a token, such as session_id"#
        ),
        (.status(200).cookie("a", "1\n"), lineBreak(in: "Set-Cookie")),
        (
            .status(200).cookie("a", "1; Secure"),
            "the value of the cookie a contains a semicolon. Encode the value, or set attributes with "
                + "the header field Set-Cookie"
        ),
        // Resources
        (.resource(.status(404)), noResource), (.resource(.passthrough), noResource),
        (.resource(.events(["a"])), noResource),
        (.resource(.text("a").header("ETag", "v1")), noTag),
        (.resource(.text("a")).header("ETag", "v1"), noTag),
        (
            .resource(.text("a").header("Last-Modified", "today")),
            "today is not the date of a header field. Write it as in Tue, 01 Sep 2026 10:00:00 GMT"
        ),
        (.resource(.data(Data(), status: 1000)), noFinalStatus(1000)),
    ]
    private static let noResource =
        "a resource needs a whole body and status 200. Pass .json, .text, .data or .fixture"
    private static let noTag = "v1 is not an entity tag. Write its quotes too, as in #\"\"v1\"\"#"

    @Test(arguments: [true, false])
    func sequenceThatCannotBeReadAgainFailsTheTest(withURLSession: Bool) async throws {
        let server = MockServer()
        let client: any HTTPTransport = withURLSession ? server.session : server
        for chunks in [[], ["one"]] {
            let (sequence, continuation) = AsyncStream.makeStream(of: Data.self)
            for chunk in chunks { continuation.yield(Data(chunk.utf8)) }
            continuation.finish()
            server.on(.any, reply: .stream(sequence), times: .anyNumber)

            #expect(try await client.text("/1") == chunks.joined())
            #expect(server.failures == [])
            if chunks.isEmpty {
                #expect(try await client.text("/2") == "")
            } else {
                await #expect(throws: (any Error).self) { try await client.text("/2") }
            }
        }

        #expect(
            server.failures.map(\.message) == [
                """
                The stream has no chunks for GET https://api.example.com/2, because a request has \
                read it. Reply with a closure: { _ in .stream(…) }
                """
            ])
    }

    @Test(arguments: mistakes)
    func responseThatHTTPCannotSendIsAWrongRoute(
        response: MockResponse, problem: String
    ) async throws {
        let server = MockServer()
        server.on(.any, reply: response); let line = #line

        let error = await #expect(throws: TestFailure.self) {
            try await server.session.send(.make())
        }

        #expect(
            error?.localizedDescription
                == "WrongResponseTests.swift:\(line): A route is invalid: \(problem)")
        #expect(server.failures.map(\.message) == ["A route is invalid: \(problem)"])
    }
}
