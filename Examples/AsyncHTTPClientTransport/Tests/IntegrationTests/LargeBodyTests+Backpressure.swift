import APIKit
import AsyncHTTPClient
import AsyncHTTPClientTransport
import Foundation
import NIOHTTPCompression
import Testing

extension LargeBodyTests {
    @Test func serverWaitsForASlowReader() async throws {
        let isSent = Locked(false)
        try await LoopbackServer.run(respond: { head in
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
                misplaced += LoopbackServer.misplacedBytes(in: chunk, at: size)
                size += chunk.count
            }
            #expect(size == 200 << 20)
            #expect(misplaced == 0)
            #expect((ProcessResources.residentMegabytes ?? 0) - before < Self.limit)
        }
    }

    @Test func decodedBombIsReadInSteps() async throws {
        // A gzip header, and the start of a block in which each zero byte stands for 1,032 zeros.
        let start = try #require(Data(base64Encoded: "H4sIAAAAAAACA+zBAQEAAACAkP6v7ggK"))
        let size = 1 << 29
        try await LoopbackServer.run(serve: { connection in
            _ = try connection.head()
            connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
            connection.write(start + Data(count: 1 << 20))
            connection.skipToEnd()
        }) { server in
            let before = ProcessResources.residentMegabytes ?? 0
            var configuration = HTTPClient.Configuration()
            configuration.decompression = .enabled(limit: .none)
            let transport = HTTPClientTransport(configuration: configuration)
            let (stream, _) = try await transport.stream(server.request("/bomb"))
            var (received, most, step) = (0, 0, 0)

            for try await chunk in stream {
                received += chunk.count
                if received >> 20 > step {
                    step = received >> 20
                    most = max(most, ProcessResources.residentMegabytes ?? 0)
                }
                if received > size { break }
            }

            #expect(received > size)
            // The transport reads at most 256 KB at a time, which can become 264 MB.
            #expect(most - before < 400)
        }
    }
}
