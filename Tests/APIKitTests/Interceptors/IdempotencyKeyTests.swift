import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct IdempotencyKeyTests {
    private let server = MockServer.current

    private var sentKeys: [String?] {
        server.requests.map { $0.header("Idempotency-Key") }
    }

    /// A request without a body for each method.
    private func request(_ method: HTTPMethod, headers: [String: String] = [:]) -> EchoRequest {
        EchoRequest { try URLRequest(method, "echo", headers: headers) }
    }

    /// An interceptor whose keys are "1", "2" and so on.
    private func counting() -> IdempotencyKey {
        let count = Locked(0)
        return IdempotencyKey {
            count.withLock { count in
                count += 1
                return "\(count)"
            }
        }
    }

    @Test(arguments: [
        (HTTPMethod.post, true), (.patch, true), (.get, false), (.put, false), (.delete, false),
        (.head, false), ("LINK", false),
    ])
    func keyIsSentWithPostAndPatch(method: HTTPMethod, hasKey: Bool) async throws {
        server.on(.any, reply: .text("ok"))

        _ = try await APIClient.make(server, counting()).load(request(method))

        #expect(sentKeys == [hasKey ? "1" : nil])
    }

    @Test(arguments: [false, true])
    func allAttemptsHaveTheSameKey(isInsideRetry: Bool) async throws {
        server.on(
            .any, reply: .status(503), .failure(.networkConnectionLost), .text("ok"), times: 3)
        let interceptors: [any APIInterceptor] = [counting(), Retry.immediate]
        let client = APIClient.make(
            transport: server, interceptors: isInsideRetry ? interceptors.reversed() : interceptors)

        #expect(try await client.load(request(.post)) == "ok")
        #expect(sentKeys == ["1", "1", "1"])
    }

    @Test func eachCallHasAKeyOfItsOwn() async throws {
        server.on(.any, reply: .text("ok"))
        let client = APIClient.make(server, IdempotencyKey())

        for _ in 1...2 { _ = try await client.load(request(.post)) }

        let keys = sentKeys.compactMap { $0.flatMap(UUID.init) }
        #expect(Set(keys).count == 2)
    }

    @Test func keyOfRequestIsKept() async throws {
        server.on(.any, reply: .text("ok"))

        let keyed = request(.post, headers: ["idempotency-key": "mine"])
        _ = try await APIClient.make(server, counting()).load(keyed)

        #expect(sentKeys == ["mine"])
    }

    @Test func invalidKeyFailsCallWithoutShowingToken() async throws {
        let client = APIClient.make(
            server, BearerAuthentication(StubTokens("S3CRET")), IdempotencyKey { "a\nb" })

        let error = await #expect(throws: APIError.self) { try await client.load(request(.post)) }

        #expect(
            error?.description == """
                POST https://api.example.com/v1/echo cannot be sent: the value of its header \
                Idempotency-Key contains a control character.
                """)
        #expect(error?.request?.value(forHTTPHeaderField: "Authorization") == nil)
    }
}
