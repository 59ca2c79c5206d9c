import APIKit
import Foundation
import Testing

extension LargeBodyTests {
    @Test func bodyForASlowReaderIsSpilledToAFile() async throws {
        let (sent, sender) = AsyncStream.makeStream(of: Never.self)
        try await LoopbackServer.run(respond: { _ in
            .flood(megabytes: 200, whenSent: { sender.finish() })
        }) { server in
            let before = try #require(ProcessResources.residentMegabytes)

            let request = try server.request("/large")
            let client = APIClient(transport: URLSession.make())
            let response = try await client.stream(TextRequest(), with: request)
            for await _ in sent {}
            #expect(try #require(ProcessResources.residentMegabytes) - before < Self.limit)

            var (size, misplaced) = (0, 0)
            for try await chunk in response.value {
                misplaced += LoopbackServer.misplacedBytes(in: chunk, at: size)
                size += chunk.count
            }
            #expect(size == 200 << 20)
            #expect(misplaced == 0)
            #expect(try #require(ProcessResources.residentMegabytes) - before < Self.limit)
        }
    }
}
