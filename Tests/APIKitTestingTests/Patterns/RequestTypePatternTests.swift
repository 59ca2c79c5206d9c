import APIKit
import Foundation
import Testing

@testable import APIKitTesting

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
        (.jsonText(#"{"a":1,"b":[1.0]}"#), .jsonText(#" {"b":[1],"a":1}"#), true),
        (.jsonText(#"{"a":1}"#), .jsonText(#"{"a":2}"#), false),
        (.jsonText(#"{"a":1}"#), .jsonText(#"{"a":1,"b":2}"#), false),
        (.jsonText("{}"), .jsonText("{ }", "application/problem+json"), true),
        (.jsonText("{}", "application/vnd.api+json; v=1"), .jsonText("{ }"), true),
        (.jsonText("{}", "text/plain"), .jsonText("{ }", "text/plain"), false),
        (.jsonText("{"), .jsonText("{"), true),
        (.jsonText("{"), .jsonText("["), false),
    ]

    private static let forms: [BodyCase] = [
        (.form(["a": "1", "b": "x y"]), .form(["b": "x y", "a": "1"]), true),
        (.form(["a": "1"]), .form(["a": "1", "b": "2"]), false),
        (.form(["a": "1"]), .data(Data("a=1".utf8)), false),
    ]

    private static let multipartForms: [BodyCase] = [
        (.parts(), .parts(), true), (.parts(), .parts(name: "b"), false),
        (.parts(), .parts(fileName: "b.png"), false), (.parts(), .parts(type: "image/gif"), false),
        (.parts(), .parts(bytes: [2]), false), (.parts(), .multipart(["note": .text("x")]), false),
        (.parts(), .data(Data([1])), false),
        (.data(Data([1]), contentType: "multipart/x"), .data(Data([1])), true),
    ]

    private static let bytes: [BodyCase] = [
        (.data(Data([0, 1])), .data(Data([0, 1]), contentType: "image/png"), true),
        (.data(Data([0, 1])), .data(Data([0, 2])), false),
        (nil, .data(Data()), true), (nil, .data(Data([1])), false), (.jsonText("1"), nil, false),
    ]

    @Test(arguments: jsonBodies + forms + multipartForms + bytes)
    func requestTypeComparesTheBodyByMeaning(
        body: HTTPBody?, sent: HTTPBody?, isMatch: Bool
    ) async throws {
        let result = try await matches(AnyRequest(.put, body: body), AnyRequest(.put, body: sent))

        #expect(result == isMatch)
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
            body: .jsonText(#"{"d":4,"c":3,"b":2,"a":1}"#))

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
}
