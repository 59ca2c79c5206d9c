import APIKit
import Foundation
import Testing

/// Bodies that are larger than the memory that a load may use.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LargeBodyTests {
    /// The allowed growth in megabytes, which is much less than the size of the bodies.
    private static let limit = 80

    private func client() -> APIClient { APIClient(transport: URLSession.make()) }

    @Test func bodyForASlowReaderIsSpilledToAFile() async throws {
        let (sent, sender) = AsyncStream.makeStream(of: Never.self)
        try await RawServer.run(respond: { _ in
            .flood(megabytes: 200, whenSent: { sender.finish() })
        }) { server in
            let before = ProcessResources.residentMegabytes ?? 0

            let request = try server.request("/large")
            let response = try await client().stream(TextRequest(), with: request)
            for await _ in sent {}
            #expect((ProcessResources.residentMegabytes ?? 0) - before < Self.limit)

            var (size, misplaced) = (0, 0)
            for try await chunk in response.value {
                misplaced += RawServer.misplacedBytes(in: chunk, at: size)
                size += chunk.count
            }
            #expect(size == 200 << 20)
            #expect(misplaced == 0)
            #expect((ProcessResources.residentMegabytes ?? 0) - before < Self.limit)
        }
    }

    @Test func downloadUsesLittleMemory() async throws {
        let size = Stress.isFull ? 1024 : 200
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try await RawServer.run(respond: { _ in .flood(megabytes: size) }) { server in
            let before = ProcessResources.residentMegabytes ?? 0
            let most = Most()

            let request = try server.request("/large")
            try await client().download(TextRequest(), with: request, to: file) { step in
                most.update(
                    ProcessResources.residentMegabytes ?? 0, after: step.completedBytes >> 20)
            }

            #expect(most.value - before < Self.limit)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect((attributes[.size] as? NSNumber)?.intValue == size << 20)
        }
    }
}

/// The maximum of some values.
private final class Most: @unchecked Sendable {
    // The client reports one step at a time.
    private(set) var value = 0
    private var lastStep = -1

    /// Includes a value, once for each step.
    func update(_ value: @autoclosure () -> Int, after step: Int) {
        guard step > lastStep else { return }
        lastStep = step
        self.value = max(self.value, value())
    }
}
