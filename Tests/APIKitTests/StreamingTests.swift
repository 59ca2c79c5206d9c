import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer) struct StreamingTests {
    private let server = MockServer.current
    private var client: APIClient { .make(transport: server.session) }

    @Test func handsOutTheChunksOfTheBody() async throws {
        server.on(.get("/v1/echo"), reply: .stream(["one", "two", "six"].map { Data($0.utf8) }))

        let response = try await client.stream(EchoRequest())
        var chunks: [String] = []
        for try await chunk in response.value {
            chunks.append(String(decoding: chunk, as: UTF8.self))
        }

        #expect(chunks == ["one", "two", "six"])
        #expect(response.statusCode == 200)
    }

    @Test func throwsARefusalWithTheStartOfItsBody() async throws {
        let body = Data(repeating: 7, count: 100_000)
        server.on(.get("/v1/echo"), reply: .data(body, status: 503))

        let error = await #expect(throws: APIError.self) {
            try await client.stream(EchoRequest())
        }

        #expect(error?.kind == .status(503))
        #expect(error?.body == body.prefix(65_536))
    }
}
