import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct APIClientWithoutTests {
    let server = MockServer.current

    @Test func withoutOmitsInterceptorsOfTypeForOneCall() async throws {
        server.on(.get("/v1/echo"), reply: .text("ok"), times: 5)
        let client = APIClient.make(
            server, RepeatingInterceptor(), RequestAdapter { $0.httpShouldHandleCookies = false },
            RepeatingInterceptor())

        _ = try await client.without(RepeatingInterceptor.self).load(EchoRequest())
        #expect(server.requests.count == 1)

        _ = try await client.load(EchoRequest())
        #expect(server.requests.count == 5)
    }

    @Test func withoutKeepsOrderOfOtherInterceptors() {
        let client = APIClient.make(interceptors: [
            RepeatingInterceptor(times: 2), RequestAdapter { _ in }, RepeatingInterceptor(times: 3),
        ])

        let times = client.without(RequestAdapter.self).interceptors.map { interceptor in
            (interceptor as? RepeatingInterceptor)?.times
        }

        #expect(times == [2, 3])
    }
}
