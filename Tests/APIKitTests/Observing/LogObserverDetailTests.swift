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
            lines.current.map { $0.components(separatedBy: " [").first } == [
                "GET https://api.example.com/v2/echo?pwd=*** → sent, attempt 1",
                "GET https://api.example.com/v1/echo → received 503, attempt 1",
                "GET https://api.example.com/v2/echo?pwd=*** → sent, attempt 2",
                "GET https://api.example.com/v1/echo → received 200, attempt 2",
                "GET https://api.example.com/v1/echo → 200, 2 attempts, 0 ms, 2 bytes",
            ])
    }

    private static let accents = String(repeating: "é", count: 500)

    private static let bodies: [(body: HTTPBody, reply: MockResponse, shown: [String])] = [
        // Secrets are masked, also one that is cut off.
        (
            .form(["user": "ada", "password": "x"]), .text(#"{"access_token": "x", "id": 7}"#),
            ["user=ada&password=***", #"{"access_token": "***", "id": 7}"#]
        ),
        (
            data(#"{"secret":"\#(String(repeating: "x", count: 2_000))"}"#, "application/json"),
            .text("ok"), [#"{"secret":"***… (2,013 bytes)"#, "ok"]
        ),
        // A text is on one line.
        (
            data("{\n  \"id\" : 1\n}", "application/json"),
            .text("one\r\ntwo\u{1B}[1m\u{85}three\n"), [#"{ "id" : 1 }"#, "one two [1m three"]
        ),
        // A binary body has only its size, and an empty one nothing.
        (
            data("text", "image/png"),
            .data(Data([0xFF])).header("Content-Type", "text/csv; x=1"),
            ["(image/png, 4 bytes)", "(text/csv, 1 byte)"]
        ),
        (.data(Data()), .text(""), ["", ""]),
        // A long body is cut off.
        (
            data("x\(accents)", "text/plain"), .text("\(accents)é"),
            ["x\(accents.dropLast())… (1,001 bytes)", "\(accents)… (1,002 bytes)"]
        ),
    ]

    private static func data(_ text: String, _ type: String) -> HTTPBody {
        .data(Data(text.utf8), contentType: type)
    }

    @Test(arguments: bodies)
    func bodyIsLoggedShortOnOneLineAndWithoutSecrets(
        body: HTTPBody, reply: MockResponse, shown: [String]
    ) async throws {
        server.on(.post("/v1/echo"), reply: reply)

        try await send(body: body, detail: .bodies)

        let texts = lines.current.dropLast().map { line in
            String(line[(line.lastIndex(of: "]") ?? line.startIndex)...].dropFirst(2))
        }
        #expect(texts == shown)
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

    @Test(arguments: [
        #"{"email":"ada@example.com"}"#, #"{"email":"\#(String(repeating: "a", count: 99))"}"#,
        "no user: email=ada@example.com", "<p>No user with email: ada@example.com</p>",
    ])
    func redactionMasksTheTextOfAnError(body: String) async throws {
        server.on(.post("/v1/echo"), reply: .text(body, status: 422))

        await expectError(.status(422)) {
            try await send(detail: .summary, redacting: .secrets.adding(values: ["email"]))
        }

        #expect(lines.current.count == 1)
        #expect(lines.current.last?.contains("aa") == false)
        #expect(lines.current.last?.contains("ada@") == false)
        #expect(lines.current.last?.contains("email") == true)
    }

    @Test func emptyRedactionMasksNothing() async throws {
        server.on(.post("/v1/echo"), reply: .text(#"{"secret":"x"}"#))

        try await send(headers: ["Authorization": "Bearer x"], detail: .bodies, redacting: .nothing)

        #expect(lines.current.first?.hasSuffix("[Authorization: Bearer x]") == true)
        #expect(lines.current[at: 1]?.hasSuffix(#" {"secret":"x"}"#) == true)
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
