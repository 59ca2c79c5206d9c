import APIKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct SendingTests {
    @Test func unknownHostFailsTheLoad() async throws {
        LoopbackSocket.connectDirectly()
        // A DNS label has at most 63 characters (RFC 1035 2.3.4), so this name fails without a lookup.
        let host = String(repeating: "a", count: 64) + ".invalid"
        let request = URLRequest(url: try #require(URL(string: "http://\(host)/dogs")))

        let error = await #expect(throws: APIError.self) {
            try await TransportUnderTest.make().load(request)
        }

        #expect(error?.kind == .transport)
        #expect(error?.urlError?.code == .cannotFindHost)
    }
}
