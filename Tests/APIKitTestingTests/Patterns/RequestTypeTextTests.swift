import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// What a failure says about the pattern of a request type.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct RequestTypeTextTests {
    private static let descriptions: [(request: AnyRequest, description: String)] = [
        (AnyRequest(.get, "/dogs", query: ["breed": "akita"]), "GET dogs?breed=akita"),
        (AnyRequest(.get, "dogs?secret=abc"), "GET dogs?secret=***"),
        (AnyRequest(.get, "https://ada:pw@h.example/a"), "GET https://***@h.example/a"),
        (AnyRequest(.get, ""), "GET the base URL"),
        (
            AnyRequest(.post, body: .jsonText(#"{"id":1,"password":"x"}"#)),
            #"POST dogs, json: {"id":1,"password":"x"}"#
        ),
        (
            AnyRequest(.post, body: .form(["user": "ada", "password": "x"])),
            #"POST dogs, form.password: "x", form.user: "ada""#
        ),
        (
            AnyRequest(.post, body: .parts()),
            #"POST dogs, part.a.body: "\u{01}", part.a.filename: "a.png", "#
                + #"part.a.type: "image/png", part.note.body: "x""#
        ),
        (
            AnyRequest(.post, body: .multipart(["password": .text("x")])),
            #"POST dogs, part.password.body: "x""#
        ),
        (AnyRequest(.post, body: .data(Data([0xFF, 0xFE]))), "POST dogs, body: 2 bytes"),
        (
            AnyRequest(.post, body: .data(Data("hello\t\r\n".utf8))),
            #"POST dogs, body: "hello\t\r\n""#
        ),
    ]

    @Test(arguments: descriptions)
    func patternOfARequestTypeDescribesItself(request: AnyRequest, description: String) {
        #expect("\(RequestPattern.request(request))" == description)
    }

    private typealias Miss = (expected: AnyRequest, sent: AnyRequest, differences: [String])

    private static func miss(
        _ expected: AnyRequest, _ sent: AnyRequest, _ differences: String...
    ) -> Miss {
        (expected, sent, differences)
    }

    private static let misses: [Miss] = [
        miss(AnyRequest(.post), AnyRequest(.put), "method: expected POST, got PUT"),
        miss(
            AnyRequest(.get, "dogs/1"), AnyRequest(.get, "cats/1"),
            "path: expected a path that ends with /dogs/1, got /v1/cats/1"),
        miss(
            AnyRequest(.get, "dogs"), AnyRequest(.get, "dogs/"),
            "path: expected a path that ends with /dogs, got /v1/dogs/ "
                + "(only the trailing slash differs)"),
        miss(
            AnyRequest(.get, "http://a.example:81/dogs"), AnyRequest(.get, "dogs"),
            "path: expected /dogs, got /v1/dogs",
            "origin: expected \"http://a.example:81\", got \"https://h.example\""),
        miss(
            AnyRequest(query: ["a": "1", "token": "x"]), AnyRequest(query: ["b": "2"]),
            #"query.a: expected "1", got nothing"#, #"query.b: expected nothing, got "2""#,
            #"query.token: expected "x", got nothing"#),
    ]

    private static func put(_ body: HTTPBody? = nil) -> AnyRequest { AnyRequest(.put, body: body) }

    private static let missesInBodies: [Miss] = [
        miss(
            put(.jsonText(#"{"a":{"b":1}}"#)), put(.jsonText(#"{"a":{"b":2}}"#)),
            "json.a.b: expected 1, got 2"),
        miss(
            put(), put(.jsonText(#"{"a":1}"#)),
            #"json: expected nothing, got {"a":1} (for an upload, pass its body as from:)"#),
        miss(put(.data(Data([0xFF]))), put(), "body: expected 1 bytes, got nothing"),
        miss(
            put(.data(Data([0xFF]))), put(.data(Data([0xFE]))),
            "body: expected 1 bytes, got 1 bytes (a different value)"),
        miss(put(.form(["a": "1"])), put(), #"form.a: expected "1", got nothing"#),
        miss(
            put(.parts()), put(.multipart(["note": .text("y")])),
            #"part.a.body: expected "\u{01}", got nothing"#,
            #"part.a.filename: expected "a.png", got nothing"#,
            #"part.a.type: expected "image/png", got nothing"#,
            #"part.note.body: expected "x", got "y""#),
        miss(
            put(.multipart(["token": .text("x")])),
            put(.multipart(["token": .text("y"), "b": .text("")])),
            #"part.b.body: expected nothing, got """#,
            #"part.token.body: expected "x", got "***""#),
    ]

    @Test(arguments: misses + missesInBodies)
    func missStatesEachDifference(
        expected: AnyRequest, sent: AnyRequest, differences: [String]
    ) async throws {
        let server = MockServer(unhandled: .reply(.status(200)))
        let client = APIClient(baseURL: URL(string: "https://h.example/v1"), transport: server)
        _ = try await client.load(sent)

        let request = try #require(server.requests.first)
        var list = LimitedList()
        RequestPattern.request(expected).addDifferences(
            from: ComparedRequest(request), to: &list)
        #expect(list.lines(noun: "difference") == differences.map { "\n  - \($0)" }.joined())
    }

    @Test func missNamesTheRouteWhosePathEndsAlmostTheSame() async throws {
        let server = MockServer()
        server.on(.request(AnyRequest(.get, "dogs/1")))
        server.on(.get("/api/x/dogs/9"))

        let message = try #require(await server.miss(.make("GET", "/api/v1/dogs/2")))

        #expect(message.contains("GET dogs/1 ("))
        #expect(message.contains("path: expected a path that ends with /dogs/1"))
    }

    /// A stream that waits for its writer.
    private final class WaitingStream: InputStream {
        override func open() {}
        override func close() {}
        override var hasBytesAvailable: Bool { false }
        override var streamStatus: Status { .open }
    }

    private struct Planned: Error, CustomStringConvertible {
        let description = "no dog at https://h.example/?secret=abc"
    }

    private static let refused: [(request: AnyRequest, reason: String)] = [
        (AnyRequest { throw Planned() }, "no dog at https://h.example/?secret=***"),
        (
            AnyRequest(.get, "dogs/../cats"),
            #"its path has a "." or ".." segment"#
        ),
        (
            AnyRequest(.put, body: .file(URL(filePath: "/nowhere/photo"))),
            "the file /nowhere/photo cannot be read or written: No such file or directory"
        ),
        (
            AnyRequest {
                var request = URLRequest(url: .make("/dogs"))
                request.url = nil
                return request
            }, "it has no URL"
        ),
        (
            AnyRequest {
                var request = URLRequest(url: .make("/dogs"))
                request.httpBodyStream = InputStream(url: URL(filePath: "/nowhere"))
                return request
            }, "No such file or directory"
        ),
        (
            AnyRequest {
                var request = URLRequest(url: .make("/dogs"))
                request.httpBodyStream = WaitingStream(data: Data())
                return request
            }, "its body is a stream whose end is not available"
        ),
    ]

    @Test(arguments: refused)
    func requestTypeThatMakesNoRequestIsAWrongRoute(
        request: AnyRequest, reason: String
    ) async throws {
        let server = MockServer()
        server.on(.request(request), reply: .status(200))

        #expect(
            server.failures.map(\.message) == [
                """
                A route is invalid: AnyRequest cannot make its request: \(reason). Pass another \
                input, or correct makeRequest(from:)
                """
            ])
    }
}
