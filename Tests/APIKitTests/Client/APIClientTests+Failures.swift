import APIKit
import APIKitTesting
import Foundation
import Testing

/// Failures of the transport.
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

    // MARK: Cancellation

    @Test(arguments: [MockResponse.failure(.cancelled), .failure(CancellationError())])
    func cancellationOfTransportIsACancellationError(reply: MockResponse) async {
        server.on(.get("/v1/echo"), reply: reply)

        await #expect(throws: CancellationError.self) { try await client.load(EchoRequest()) }
    }

    @Test func transportErrorOfCanceledTaskBecomesCancellationError() async {
        let client = APIClient.make(
            transport: StubTransport { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                throw URLError(.networkConnectionLost)
            })

        let task = Task { try await client.load(EchoRequest()) }

        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
