import APIKit
import Foundation
import Testing

/// Responses whose bodies are larger than the memory that a load may use.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LargeBodyTests {
    /// The allowed growth of memory in megabytes, much less than the size of a body.
    static let limit = 80

    @Test func downloadUsesLittleMemory() async throws {
        let size = Stress.isFull ? 1024 : 200
        let directory = try TemporaryDirectory()
        let file = directory.url("file")
        try await LoopbackServer.run(respond: { _ in .flood(megabytes: size) }) { server in
            let before = try #require(ProcessResources.residentMegabytes)
            let most = Locked((step: -1, megabytes: before))

            let request = try server.request("/large")
            let client = APIClient(transport: TransportUnderTest.make())
            try await client.download(TextRequest(), with: request, to: file) { step in
                most.withLock { most in
                    let megabyte = step.completedBytes >> 20
                    guard megabyte > most.step else { return }
                    let size = ProcessResources.residentMegabytes ?? .max
                    most = (megabyte, max(most.megabytes, size))
                }
            }

            #expect(most.withLock { $0.megabytes } - before < Self.limit)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect((attributes[.size] as? NSNumber)?.intValue == size << 20)
        }
    }
}
