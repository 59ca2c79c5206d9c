import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct APIClientTests {
    let server = MockServer.current
    var client: APIClient { .make(transport: server) }

    @Test func responseHasHeadAndOutput() async throws {
        server.on(.get("/v1/dogs/7"), reply: .json(Dog(id: 7), status: 201).header("ETag", "x"))

        let response = try await client.response(to: DogRequest(), with: 7)

        #expect(response.value == Dog(id: 7))
        #expect(response.statusCode == 201)
        #expect(response.http.value(forHTTPHeaderField: "etag") == "x")
    }

    @Test func absoluteURLNeedsNoBaseURL() async throws {
        server.on(.get("/dogs").host("other.example"), reply: .text("hello"))

        let request = EchoRequest { try URLRequest(.get, "https://other.example/dogs") }

        #expect(try await APIClient(transport: server).load(request) == "hello")
    }

    @Test func changedCopyKeepsOriginalClient() async throws {
        server.on(.get("/v2/echo").header("X-Beta", "1"), reply: .text("beta"))

        var beta = APIClient.make(transport: server)
        beta.baseURL = try .make("https://api.example.com/v2")
        beta.headers["X-Beta"] = "1"

        #expect(try await beta.load(EchoRequest()) == "beta")
        #expect(client.headers == [:])
    }
}

// MARK: - Headers

extension APIClientTests {
    @Test(arguments: [
        ("https://api.example.com/v1", nil), (nil, nil),
        ("https://cdn.example.com/v1", "request"), ("https://cdn.example.com/v1", nil),
    ])
    func credentialsOfClientGoOnlyToTheOriginOfItsBaseURL(base: String?, own: String?) async throws
    {
        server.on(.get("/dogs"))
        let client = APIClient(
            baseURL: try base.map(URL.make),
            headers: [
                "Authorization": "client", "X-App": "1", "X-Ticket": "q8Zt3kLw9Xv2Rb7Nc1Ym",
                "Idempotency-Key": "8cf1e1a4-2b7d-4e0f-9a61-0c5d3b7e8f90",
            ], transport: server)
        let headers = own.map { ["Authorization": $0] } ?? [:]

        _ = try await client.load(
            EchoRequest { try URLRequest(.get, "https://api.example.com/dogs", headers: headers) })

        let sent = try #require(server.requests.first)
        let isOther = base?.contains("cdn") == true
        #expect(sent.header("Authorization") == own ?? (isOther ? nil : "client"))
        #expect((sent.header("X-Ticket") == nil) == isOther)
        #expect(sent.header("X-App") == "1" && sent.header("Idempotency-Key") != nil)
    }

    @Test(arguments: ["X-App", "x-app", "X-APP"])
    func requestHeadersOverrideClientHeaders(name: String) async throws {
        server.on(.get("/v1/echo"))
        let client = APIClient.make(headers: [name: "client"], transport: server)

        _ = try await client.load(
            EchoRequest { try URLRequest(.get, "echo", headers: ["X-App": "request"]) })

        #expect(server.requests.first?.headers == ["X-App": "request"])
    }

    @Test(arguments: [
        ("X App", "1", "\"X App\" is not a valid header name"),
        (
            "X-App", "1\r\nX-Admin: 1",
            "the value of its header X-App contains a control character"
        ),
    ])
    func invalidClientHeaderIsRefused(name: String, value: String, reason: String) async {
        let client = APIClient.make(headers: [name: value], transport: server)

        let error = await #expect(throws: APIError.self) { try await client.load(EchoRequest()) }

        #expect(
            error?.description
                == "GET https://api.example.com/v1/echo cannot be sent: \(reason).")
    }
}

// MARK: - Requests that cannot be sent

extension APIClientTests {
    @Test func makeRequestErrorIsThrownUnchanged() async {
        await #expect(throws: Refusal(reason: "no dog")) {
            try await client.load(EchoRequest { throw Refusal(reason: "no dog") })
        }
    }

    @Test func requestWithoutURLIsRefused() async {
        let error = await #expect(throws: APIError.self) {
            try await client.load(
                EchoRequest {
                    var request = try URLRequest(.post, "echo")
                    request.url = nil
                    return request
                })
        }

        #expect(error?.kind == .invalidRequest("it has no URL"))
        #expect(error?.description == "POST without a URL cannot be sent: it has no URL.")
    }

    @Test(
        arguments: [
            { $0.httpMethod = "GET /evil HTTP/1.1\r\nX: " },
            { $0.httpMethod = "GÉT" },
            { $0.setValue("1", forHTTPHeaderField: "X\r\nEvil") },
        ] as [@Sendable (inout URLRequest) -> Void])
    func invalidMethodOrFieldIsNotSent(
        change: @escaping @Sendable (inout URLRequest) -> Void
    ) async throws {
        let server = MockServer(unhandled: .reply(.status(200)))
        let request = EchoRequest {
            var request = try URLRequest(.get, "echo")
            change(&request)
            return request
        }
        let adapter = CallInterceptor { change(&$0.request) }

        for load in [
            { try await APIClient.make(server).load(request) },
            { try await APIClient.make(server, adapter).load(EchoRequest()) },
        ] as [@Sendable () async throws -> String] {
            let error = await #expect(throws: APIError.self) { try await load() }
            guard case .invalidRequest? = error?.kind else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        #expect(server.requests.isEmpty)
    }

    @Test func pathAboveBaseURLIsRefused() async {
        let error = await #expect(throws: APIError.self) {
            try await client.load(EchoRequest { try URLRequest(.get, "../admin?secret=x") })
        }

        #expect(
            error?.description == """
                GET /../admin?secret=*** cannot be sent: its path has a \".\" or \"..\" segment.
                """)
    }
}

// MARK: - Responses

extension APIClientTests {
    @Test(arguments: [300, 401, 409, 404, 500])
    func refusalThrowsStatusAndBody(status: Int) async throws {
        server.on(.get("/v1/dogs/7"), reply: .json(["reason": "gone"], status: status))

        let error = try #require(
            await #expect(throws: APIError.self) { try await client.load(DogRequest(), with: 7) })

        #expect(error.kind == .status(status))
        #expect(error.statusCode == status)
        #expect(error.body == Data(#"{"reason":"gone"}"#.utf8))
        #expect(try error.decodeBody([String: String].self) == ["reason": "gone"])
        #expect(error.underlying == nil)
        #expect(
            error.description == """
                GET https://api.example.com/v1/dogs/7 was refused with status \(status): \
                {"reason":"gone"}.
                """)
    }

    @Test(arguments: [304, 404])
    func requestTypeDecidesWhichStatusIsAccepted(status: Int) async throws {
        server.on(.get("/v1/dogs/7"), reply: .status(status).header("ETag", "x"))

        let outcome = try await client.load(TolerantRequest(), with: 7)

        #expect(outcome == "\(status) x")
    }

    @Test func successThatRequestTypeRejectsIsAnError() async {
        server.on(.get("/v1/dogs/7"), reply: .status(200))

        await expectError(.status(200)) { try await client.load(TolerantRequest(), with: 7) }
    }

    @Test func decodingErrorIsWrappedWithBody() async throws {
        server.on(.get("/v1/dogs/7"), reply: .text(#"{"id":7}"#, status: 201))

        let error = try #require(
            await #expect(throws: APIError.self) { try await client.load(DogRequest(), with: 7) })

        #expect(error.kind == .decoding)
        #expect(error.underlying is DecodingError)
        #expect(error.statusCode == 201)
        #expect(error.body == Data(#"{"id":7}"#.utf8))
        #expect(
            error.description == """
                GET https://api.example.com/v1/dogs/7 returned a body that cannot be \
                decoded: the top level has no "name".
                """)
    }

    @Test func parseResponseErrorIsThrownUnchanged() async {
        server.on(.get("/v1/echo"))

        await #expect(throws: Refusal(reason: "empty")) { try await client.load(PickyRequest()) }
    }

    @Test func nonHTTPResponseIsAnError() async throws {
        let client = APIClient.make(
            transport: StubTransport { request in
                let url = try #require(request.url)
                let response = URLResponse(
                    url: url, mimeType: nil, expectedContentLength: 4, textEncodingName: nil)
                return (Data("woof".utf8), response)
            })

        let error = try #require(
            await #expect(throws: APIError.self) { try await client.load(EchoRequest()) })

        #expect(error.kind == .notHTTP)
        #expect(error.body == Data("woof".utf8))
        #expect(error.response == nil)
        #expect(error.request?.url?.path == "/v1/echo")
    }
}

/// A request that accepts only the statuses 304 and 404.
private struct TolerantRequest: APIRequest {
    func makeRequest(from id: Int) throws -> URLRequest { try URLRequest(.get, "dogs/\(id)") }

    func accepts(_ response: HTTPURLResponse) -> Bool {
        [304, 404].contains(response.statusCode)
    }

    func parseResponse(data: Data) throws -> String { throw Refusal() }

    func parseResponse(_ response: APIResponse<Data>) throws -> String {
        "\(response.statusCode) \(response.http.value(forHTTPHeaderField: "ETag") ?? "")"
    }
}

private struct PickyRequest: APIRequest {
    func makeRequest(from data: Void) throws -> URLRequest { try URLRequest(.get, "echo") }
    func parseResponse(data: Data) throws -> String { throw Refusal(reason: "empty") }
}
