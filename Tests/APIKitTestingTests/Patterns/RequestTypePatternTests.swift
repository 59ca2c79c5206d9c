import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// A request type whose request a closure makes.
struct AnyRequest: APIRequest {
    typealias ResponseDataType = Data

    let make: @Sendable () throws -> URLRequest

    init(_ make: @escaping @Sendable () throws -> URLRequest) {
        self.make = make
    }

    init(
        _ method: HTTPMethod = .get, _ path: String = "dogs", query: QueryItems = [:],
        headers: [String: String] = [:], body: HTTPBody? = nil
    ) {
        self.init {
            try URLRequest(
                method, APIPath(verbatim: path), query: query, headers: headers, body: body)
        }
    }

    func makeRequest(from input: Void) throws -> URLRequest { try make() }
}

@Suite(.inTurn, .timeLimit(.minutes(10))) struct RequestTypePatternTests {
    private let server = MockServer(unhandled: .reply(.status(200)))

    /// Returns whether the pattern of a request type matches what a client sends for another one.
    private func matches(
        _ expected: AnyRequest, _ sent: AnyRequest, baseURL: String = "https://h.example/v1",
        withURLSession: Bool = false
    ) async throws -> Bool {
        let client = APIClient(
            baseURL: URL(string: baseURL), transport: withURLSession ? server.session : server)
        _ = try await client.load(sent)
        return !server.requests(matching: .request(expected)).isEmpty
    }

    @Test(
        arguments: [
            ("page=2&api_key=x", true), ("api_key=x&page=2", true), ("page=2", false),
            ("api_key=x", false), ("page=3&api_key=x", false), ("page=2&api_key=x&size=1", false),
        ])
    func addedQueryItemIsAllowed(query: String, isMatch: Bool) {
        let request = AnyRequest(.get, "dogs", query: ["page": 2])
        let url = URLRequest.make("GET", "/dogs?\(query)")
        let sent = RecordedRequest(url, url: .make("/dogs?\(query)"), body: Data())

        for pattern in [
            RequestPattern.request(request).query("api_key", .any),
            .request(request).query(exactly: ["page": 2, "api_key": "x"]),
            .request(request) && .path("/dogs").query("api_key", .any),
        ] {
            #expect(pattern.matches(sent) == isMatch)
        }
    }

    @Test(
        arguments: [
            "https://h.example", "https://h.example/", "https://h.example/v1",
            "http://localhost:8080/a%20b/v1/",
        ],
        [
            "dogs/1", "/dogs/1", "dogs/", "dogs//1", "", "/", "?page=2", "dogs?page=2#top",
            "ü/a b", "a%2Fb/c", "dogs/{id}", "dogs/*", "**", "https://h.example/v1/dogs",
            "https://h.example", "HTTPS://H.example:443/v1",
        ])
    func requestTypeMatchesItsRequestBelowEveryBaseURL(baseURL: String, path: String) async throws {
        for withURLSession in [false, true] {
            let isMatch = try await matches(
                AnyRequest(.get, path), AnyRequest(.get, path), baseURL: baseURL,
                withURLSession: withURLSession)

            #expect(isMatch)
        }
    }

    @Test(arguments: [
        ("dogs/1", "dogs/2"), ("dogs/1", "hotdogs/1"), ("dogs/1", "dogs/1/"), ("dogs/1/", "dogs/1"),
        ("dogs/1", "dogs/1/toys"), ("dogs/1", "1"), ("dogs//1", "dogs/1"), ("a%2Fb", "a/b"),
        ("dogs/{id}", "dogs/1"), ("dogs/*", "dogs/1"), ("**", "dogs"), ("/", "dogs"),
        ("https://h.example/dogs", "dogs"), ("https://h.example/v1", "http://h.example/v1"),
        ("https://h.example/v1", "https://i.example/v1"),
        ("https://h.example/v1", "https://h.example:8443/v1"),
    ])
    func requestTypeRefusesAnotherURL(path: String, sent: String) async throws {
        #expect(try await !matches(AnyRequest(.get, path), AnyRequest(.get, sent)))
    }

    @Test(arguments: [
        ("dogs", "?a=1&b=2", "?b=2&a=1", true), ("dogs", "?a=1&a=2", "?a=2&a=1", true),
        ("dogs", "?a=1", "", false), ("dogs", "", "?a=1", false), ("dogs", "?a=1", "?a=2", false),
        ("dogs", "?a=1&a=1", "?a=1", false), ("", "?a=1", "?a=1&b=2", false),
    ])
    func requestTypeComparesTheWholeQuery(
        path: String, query: String, sent: String, isMatch: Bool
    ) async throws {
        let result = try await matches(
            AnyRequest(.get, path + query), AnyRequest(.get, path + sent))

        #expect(result == isMatch)
    }

    @Test func requestTypeComparesNoHeaderField() async throws {
        #expect(
            try await matches(
                AnyRequest(.post, headers: ["X-A": "1"]), AnyRequest(.post, headers: ["X-B": "2"])))
    }

    private typealias BodyCase = (body: HTTPBody?, sent: HTTPBody?, isMatch: Bool)

    private static let jsonBodies: [BodyCase] = [
        (json(#"{"a":1,"b":[1.0]}"#), json(#" {"b":[1],"a":1}"#), true),
        (json(#"{"a":1}"#), json(#"{"a":2}"#), false),
        (json(#"{"a":1}"#), json(#"{"a":1,"b":2}"#), false),
        (json("{}"), json("{ }", "application/problem+json"), true),
        (json("{}", "application/vnd.api+json; v=1"), json("{ }"), true),
        (json("{}", "text/plain"), json("{ }", "text/plain"), false),
        (json("{"), json("{"), true),
        (json("{"), json("["), false),
    ]

    private static let forms: [BodyCase] = [
        (.form(["a": "1", "b": "x y"]), .form(["b": "x y", "a": "1"]), true),
        (.form(["a": "1"]), .form(["a": "1", "b": "2"]), false),
        (.form(["a": "1"]), .data(Data("a=1".utf8)), false),
    ]

    private static let multipartForms: [BodyCase] = [
        (parts(), parts(), true), (parts(), parts(name: "b"), false),
        (parts(), parts(fileName: "b.png"), false), (parts(), parts(type: "image/gif"), false),
        (parts(), parts(bytes: [2]), false), (parts(), .multipart(["note": .text("x")]), false),
        (parts(), .data(Data([1])), false),
        (.data(Data([1]), contentType: "multipart/x"), .data(Data([1])), true),
    ]

    private static let bytes: [BodyCase] = [
        (.data(Data([0, 1])), .data(Data([0, 1]), contentType: "image/png"), true),
        (.data(Data([0, 1])), .data(Data([0, 2])), false),
        (nil, .data(Data()), true), (nil, .data(Data([1])), false), (json("1"), nil, false),
    ]

    @Test(arguments: jsonBodies + forms + multipartForms + bytes)
    func requestTypeComparesTheBodyByMeaning(
        body: HTTPBody?, sent: HTTPBody?, isMatch: Bool
    ) async throws {
        let result = try await matches(AnyRequest(.put, body: body), AnyRequest(.put, body: sent))

        #expect(result == isMatch)
    }

    private static func json(_ text: String, _ type: String = "application/json") -> HTTPBody {
        .data(Data(text.utf8), contentType: type)
    }

    private static func parts(
        name: String = "a", fileName: String = "a.png", type: String = "image/png",
        bytes: [UInt8] = [1]
    ) -> HTTPBody {
        .multipart([
            "note": .text("x"),
            name: .data(Data(bytes), fileName: fileName, contentType: type),
        ])
    }

    @Test func jsonWithoutContentTypeIsComparedByMeaning() async throws {
        let request = AnyRequest {
            var request = URLRequest(url: .make("https://h.example/dogs"))
            request.httpMethod = "POST"
            request.httpBody = try JSONEncoder().encode(["a": 1, "b": 2, "c": 3, "d": 4])
            return request
        }
        let sent = AnyRequest(
            .post, "https://h.example/dogs",
            body: Self.json(
                #"{"d":4,"c":3,"b":2,"a":1}"#))

        #expect(try await matches(request, sent))
    }

    @Test func fileIsReadWhenThePatternIsMade() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: "photo")
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        try bytes.write(to: file)
        let request = AnyRequest(.put, body: .file(file))
        let client = APIClient(baseURL: .make("/v1"), transport: server)

        let pattern = RequestPattern.request(request)
        _ = try await client.load(request)
        try Data([1]).write(to: file)
        _ = try await client.load(request)

        #expect(server.requests(matching: pattern).map(\.body) == [bytes])
    }

    @Test(arguments: [5, 100_000])
    func streamInMemoryIsComparedByItsBytes(count: Int) async throws {
        let bytes = Data(repeating: 7, count: count)
        let request = AnyRequest {
            var request = URLRequest(url: .make("https://h.example/dogs"))
            request.httpMethod = "PUT"
            request.httpBodyStream = InputStream(data: bytes)
            return request
        }

        #expect(
            try await matches(
                request, AnyRequest(.put, "https://h.example/dogs", body: .data(bytes))))
    }

    @Test func emptyFileIsNoBody() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: "empty")
        try Data().write(to: file)

        #expect(try await matches(AnyRequest(.put, body: .file(file)), AnyRequest(.put)))
    }

    @Test(arguments: [false, true])
    func uploadMatchesItsBody(withURLSession: Bool) async throws {
        let client = APIClient(
            baseURL: .make("/v1"), transport: withURLSession ? server.session : server)
        let body = HTTPBody.multipart(["note": .text("x")])

        try await client.upload(AnyRequest(.post), from: body)

        server.verify(.request(AnyRequest(.post), from: .multipart(["note": .text("x")])))
        server.verify(.request(AnyRequest(.post), from: .multipart(["note": .text("y")])), times: 0)
        server.verify(.request(AnyRequest(.post)), times: 0)
    }

    // MARK: Uses of a pattern

    private struct DogsRequest: APIRequest {
        typealias ResponseDataType = [String]

        var path: APIPath = "dogs"
        var name = "breed"

        func makeRequest(from breed: String) throws -> URLRequest {
            try URLRequest(.get, path, query: [name: breed])
        }
    }

    @Test(arguments: [
        DogsRequest(), DogsRequest(path: "v2/hounds"), DogsRequest(name: "kind"),
        DogsRequest(path: "https://other.example/dogs"),
    ])
    private func changeOfARequestTypeNeedsNoChangeOfItsStub(request: DogsRequest) async throws {
        let server = MockServer()
        let client = APIClient(baseURL: URL(string: "https://h.example/v1"), transport: server)
        server.on(.request(request, with: "akita"), reply: .json(["Rex"]), times: .once)

        #expect(try await client.load(request, with: "akita") == ["Rex"])

        server.verify(.request(request, with: "akita"))
        #expect(try await server.nextRequest(.request(request, with: "akita")).method == .get)
        #expect(server.failures.isEmpty)
    }

    @Test func requestTypeMakesItsRequestOnce() async throws {
        let count = Locked(0)
        let server = MockServer()
        server.on(
            .request(
                AnyRequest {
                    count.withLock { $0 += 1 }
                    return try URLRequest(.get, "a")
                }), times: 2)

        for _ in 1...2 { _ = try await server.send(.make("GET", "/a")) }

        #expect(count.withLock { $0 } == 1)
    }

    // MARK: Texts

    private static let descriptions: [(request: AnyRequest, description: String)] = [
        (AnyRequest(.get, "/dogs", query: ["breed": "akita"]), "GET dogs?breed=akita"),
        (AnyRequest(.get, "dogs?secret=abc"), "GET dogs?secret=***"),
        (AnyRequest(.get, "https://ada:pw@h.example/a"), "GET https://***@h.example/a"),
        (AnyRequest(.get, ""), "GET the base URL"),
        (
            AnyRequest(.post, body: json(#"{"id":1,"password":"x"}"#)),
            #"POST dogs, json: {"id":1,"password":"x"}"#
        ),
        (
            AnyRequest(.post, body: .form(["user": "ada", "password": "x"])),
            #"POST dogs, form.password: "x", form.user: "ada""#
        ),
        (
            AnyRequest(.post, body: parts()),
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
            put(json(#"{"a":{"b":1}}"#)), put(json(#"{"a":{"b":2}}"#)),
            "json.a.b: expected 1, got 2"),
        miss(
            put(), put(json(#"{"a":1}"#)),
            #"json: expected nothing, got {"a":1} (for an upload, pass its body as from:)"#),
        miss(put(.data(Data([0xFF]))), put(), "body: expected 1 bytes, got nothing"),
        miss(
            put(.data(Data([0xFF]))), put(.data(Data([0xFE]))),
            "body: expected 1 bytes, got 1 bytes (a different value)"),
        miss(put(.form(["a": "1"])), put(), #"form.a: expected "1", got nothing"#),
        miss(
            put(parts()), put(.multipart(["note": .text("y")])),
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
        _ = try await matches(expected, sent)

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

        let error = await #expect(throws: UnhandledRequestError.self) {
            try await server.send(.make("GET", "/api/v1/dogs/2"))
        }

        let message = try #require(error?.description)
        #expect(message.contains("GET dogs/1 ("))
        #expect(message.contains("path: expected a path that ends with /dogs/1"))
    }

    // MARK: Wrong routes

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
