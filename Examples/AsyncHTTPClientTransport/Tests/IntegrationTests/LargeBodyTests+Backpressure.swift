import APIKit
import AsyncHTTPClientTransport
import Foundation
import Testing

extension LargeBodyTests {
    @Test func serverWaitsForASlowReader() async throws {
        let isSent = Locked(false)
        try await RawServer.run(respond: { head in
            head.contains("/silent")
                ? .silence
                : .flood(megabytes: 200, whenSent: { isSent.withLock { $0 = true } })
        }) { server in
            let transport = HTTPClientTransport()
            var pause = try server.request("/silent")
            pause.timeoutInterval = 1
            let before = ProcessResources.residentMegabytes ?? 0

            let (stream, _) = try await transport.stream(server.request("/large"))
            await #expect(throws: URLError.self) { try await transport.send(pause) }
            #expect(!isSent.withLock { $0 })

            var (size, misplaced) = (0, 0)
            for try await chunk in stream {
                misplaced += RawServer.misplacedBytes(in: chunk, at: size)
                size += chunk.count
            }
            #expect(size == 200 << 20)
            #expect(misplaced == 0)
            #expect((ProcessResources.residentMegabytes ?? 0) - before < Self.limit)
        }
    }
}
