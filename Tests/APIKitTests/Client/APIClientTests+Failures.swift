import APIKit
import APIKitTesting
import Foundation
import Testing

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

// MARK: - Failures of the transport

extension APIClientTests {
    @Test func transportFailureIsDescribed() async throws {
        server.on(.get("/v1/echo"), reply: .failure(.timedOut))

        let error = try #require(
            await #expect(throws: APIError.self) { try await client.load(EchoRequest()) })

        #expect(error.kind == .transport)
        #expect(error.urlError?.code == .timedOut)
        #expect(error.response == nil)
        #expect(error.body == nil)
        #expect(
            error.description == """
                GET https://api.example.com/v1/echo failed: \
                the request timed out (URLError -1001).
                """)
    }

    @Test func transportErrorOfAnotherTypeIsKept() async {
        server.on(.get("/v1/echo"), reply: .failure(Refusal()))

        let error = await expectError(.transport) { try await client.load(EchoRequest()) }
        #expect(error?.underlying as? Refusal == Refusal())
    }

    @Test func apiErrorOfTransportIsNotWrapped() async {
        server.on(.get("/v1/echo"), reply: .failure(APIError(.deadline)))

        let error = await expectError(.deadline) { try await client.load(EchoRequest()) }
        #expect(error?.underlying == nil)
    }

    @Test(arguments: [MockResponse.status(401), .failure(.timedOut)])
    func errorHasRequestBeforeInterceptors(reply: MockResponse) async {
        server.on(.get("/v1/echo"), reply: reply)
        let client = APIClient.make(
            headers: ["Accept": "text/plain"], transport: server,
            interceptors: [
                RequestAdapter { $0.setValue("Bearer x", forHTTPHeaderField: "Authorization") }
            ])

        let error = await #expect(throws: APIError.self) { try await client.load(EchoRequest()) }

        #expect(error?.request?.allHTTPHeaderFields == ["Accept": "text/plain"])
    }
}

// MARK: - Cancellation

extension APIClientTests {
    @Test func cancelledURLErrorBecomesCancellationError() async {
        server.on(.get("/v1/echo"), reply: .failure(.cancelled))

        await #expect(throws: CancellationError.self) { try await client.load(EchoRequest()) }
    }

    @Test func cancellationErrorOfTransportIsNotWrapped() async {
        server.on(.get("/v1/echo"), reply: .failure(CancellationError()))

        await #expect(throws: CancellationError.self) { try await client.load(EchoRequest()) }
    }

    @Test func transportErrorOfCancelledTaskBecomesCancellationError() async {
        let client = APIClient.make(
            transport: StubTransport { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                throw URLError(.networkConnectionLost)
            })

        let task = Task { try await client.load(EchoRequest()) }

        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func cancelledTaskSendsNoRequest() async {
        let client = client

        await #expect(throws: CancellationError.self) {
            try await inCancelledTask { try await client.load(EchoRequest()) }
        }

        #expect(server.requests.isEmpty)
    }

    @Test func cancelledCallThrowsCancellationError() async {
        let clock = ManualClock()
        server.on(.get("/v1/echo")) { _ in
            try await clock.sleep(for: .seconds(60))
            return .text("late")
        }

        let task = Task { [client] in try await client.load(EchoRequest()) }
        await clock.waitForSleepers()
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
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
