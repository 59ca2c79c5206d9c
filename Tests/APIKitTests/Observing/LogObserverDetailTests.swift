import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct LogObserverDetailTests {
    let server = MockServer.current
    let lines = Locked<[String]>([])

    @Test func headersAreLoggedWithoutSecrets() async throws {
        server.on(
            .post("/v1/echo"),
            reply: .text("ok").header("Set-Cookie", "id=7").header("X-Trace", "1")
                .header("Content-Location", "/echo?secret=x"))

        try await send(
            headers: ["Authorization": "Bearer x", "Accept": "*/*", "X-Api-Key": "x"],
            body: .json(["id": 1]), detail: .headers)

        #expect(
            lines.current == [
                """
                POST https://api.example.com/v1/echo → sent, attempt 1 [Accept: */*] \
                [Authorization: Bearer ***] [Content-Type: application/json] [X-Api-Key: ***]
                """,
                """
                POST https://api.example.com/v1/echo → received 200, attempt 1 \
                [Content-Length: 2] [Content-Location: /echo?secret=***] \
                [Content-Type: text/plain; charset=utf-8] [Set-Cookie: id=***] [X-Trace: 1]
                """,
                "POST https://api.example.com/v1/echo → 200, 0 ms, 2 bytes",
            ])
    }

    @Test func eachAttemptIsLoggedAsSent() async throws {
        server.on(.get("/v2/echo"), reply: .status(503), .text("ok"))
        let rename = RequestAdapter { $0.url = try .make("https://api.example.com/v2/echo?pwd=x") }

        try await send(.get, detail: .headers, through: RepeatingInterceptor(), rename)

        #expect(
            lines.current.map { $0.components(separatedBy: " [")[0] } == [
                "GET https://api.example.com/v2/echo?pwd=*** → sent, attempt 1",
                "GET https://api.example.com/v1/echo → received 503, attempt 1",
                "GET https://api.example.com/v2/echo?pwd=*** → sent, attempt 2",
                "GET https://api.example.com/v1/echo → received 200, attempt 2",
                "GET https://api.example.com/v1/echo → 200, 2 attempts, 0 ms, 2 bytes",
            ])
    }

    @Test func bodiesAreLoggedWithoutSecrets() async throws {
        server.on(.post("/v1/echo"), reply: .text(#"{"access_token": "x", "id": 7}"#))

        let shown = try await bodies(.form(["user": "ada", "password": "x"]))

        #expect(shown == ["user=ada&password=***", #"{"access_token": "***", "id": 7}"#])
    }

    @Test func bodiesAreLoggedOnOneLine() async throws {
        server.on(.post("/v1/echo"), reply: .text("one\r\ntwo\u{1B}[1m\u{85}three\n"))

        let shown = try await bodies(
            .data(Data("{\n  \"id\" : 1\n}".utf8), contentType: "application/json"))

        #expect(shown == [#"{ "id" : 1 }"#, "one two [1m three"])
    }

    @Test func binaryBodyIsLoggedBySize() async throws {
        server.on(
            .post("/v1/echo"), reply: .data(Data([0xFF])).header("Content-Type", "text/csv; x=1"))

        let shown = try await bodies(.data(Data("text".utf8), contentType: "image/png"))

        #expect(shown == ["(image/png, 4 bytes)", "(text/csv, 1 byte)"])
    }

    @Test func emptyBodyIsNotLogged() async throws {
        server.on(.post("/v1/echo"), reply: .text(""))

        let shown = try await bodies(.data(Data()))

        #expect(shown == ["", ""])
    }

    @Test func longBodyIsCutOff() async throws {
        server.on(.post("/v1/echo"), reply: .text(String(repeating: "é", count: 501)))

        let shown = try await bodies(
            .data(Data(("x" + String(repeating: "é", count: 500)).utf8), contentType: "text/plain"))

        #expect(
            shown == [
                "x" + String(repeating: "é", count: 499) + "… (1,001 bytes)",
                String(repeating: "é", count: 500) + "… (1,002 bytes)",
            ])
    }

    @Test func cutOffSecretIsMasked() async throws {
        server.on(.post("/v1/echo"), reply: .text("ok"))

        let shown = try await bodies(.json(["secret": String(repeating: "x", count: 2_000)]))

        #expect(shown == [#"{"secret":"***… (2,013 bytes)"#, "ok"])
    }

    @Test func bodyStreamIsLoggedAsStream() async throws {
        server.on(.post("/v1/echo"))

        try await send(
            detail: .bodies,
            through: RequestAdapter { $0.httpBodyStream = InputStream(data: Data()) })

        #expect(lines.current.first?.hasSuffix("sent, attempt 1 a stream") == true)
    }

    @Test func bodyOfAnotherTypeIsNotLogged() async throws {
        let call = APICall(request: try .make(), apiRequest: EchoRequest())
        let observer = observer(call, detail: .bodies)

        observer.requestSent(call.request, attempt: 1)
        observer.responseReceived(APIResponse(value: 7, http: try .make()), attempt: 1)
        observer.callSucceeded(with: APIResponse(value: 7, http: try .make()))

        let subject = "GET https://api.example.com/v1/dogs"
        #expect(
            lines.current == [
                "\(subject) → sent, attempt 1", "\(subject) → received 200, attempt 1",
                "\(subject) → 200, 0 ms",
            ])
    }

    @Test func requestWithoutURLIsLogged() throws {
        var request = try URLRequest.make()
        request.url = nil

        observer(APICall(request: request, apiRequest: EchoRequest()), detail: .summary)
            .callFailed(with: CancellationError())

        #expect(lines.current == ["GET no URL → canceled without a request, 0 ms"])
    }

    @Test func emptyRedactionMasksNothing() async throws {
        server.on(.post("/v1/echo"), reply: .text(#"{"secret":"x"}"#))

        try await send(headers: ["Authorization": "Bearer x"], detail: .bodies, redacting: .nothing)

        #expect(lines.current[0].hasSuffix("[Authorization: Bearer x]"))
        #expect(lines.current[1].hasSuffix(#" {"secret":"x"}"#))
    }

    @Test func addedHeadersAreMasked() async throws {
        server.on(.post("/v1/echo"))

        try await send(
            headers: ["X-Tenant": "a"], detail: .headers,
            redacting: .secrets.adding(headers: ["x-tenant"]))

        #expect(lines.current[0].hasSuffix("[X-Tenant: ***]"))
    }

    /// Sends a body, and returns the logged bodies of the request and the response.
    private func bodies(_ body: HTTPBody) async throws -> [String] {
        try await send(body: body, detail: .bodies)
        return lines.current.dropLast().map { line in
            String(line[(line.lastIndex(of: "]") ?? line.startIndex)...].dropFirst(2))
        }
    }

    private func send(
        _ method: HTTPMethod = .post, headers: [String: String] = [:], body: HTTPBody? = nil,
        detail: LogObserver.Detail, redacting: Redaction = .secrets,
        through interceptors: any APIInterceptor...
    ) async throws {
        let client = APIClient.make(
            transport: server, interceptors: interceptors,
            observers: { call in [observer(call, detail: detail, redacting: redacting)] })
        _ = try await client.load(
            DataRequest { try URLRequest(method, "echo", headers: headers, body: body) })
    }

    private func observer(
        _ call: APICall, detail: LogObserver.Detail, redacting: Redaction = .secrets
    ) -> LogObserver {
        LogObserver(call, detail: detail, clock: ManualClock(), redacting: redacting) {
            [lines] in lines.append($0.description)
        }
    }
}
