#if os(Linux) && compiler(>=6.2)
import APIKit
import Foundation
import Testing

@Suite struct UploadMemoryTests {
    private static let megabytes = Stress.isFull ? 1024 : 128

    // Each test runs in a separate process, because concurrent tests use memory too.
    @Test(.timeLimit(.minutes(5))) func largeFileIsUploadedWithLittleMemory() async {
        await #expect(processExitsWith: .success) {
            try await Self.expectLittleGrowth { .file($0) }
        }
    }

    @Test(.timeLimit(.minutes(5))) func formWithALargeFileIsUploadedWithLittleMemory() async {
        await #expect(processExitsWith: .success) {
            try await Self.expectLittleGrowth { .multipart(["file": .file($0)]) }
        }
    }

    private static func expectLittleGrowth(uploading make: (URL) -> HTTPBody) async throws {
        let directory = try TemporaryDirectory()
        let body = make(try directory.hole(of: megabytes << 20))
        let length = try #require(try body.length())
        try await LoopbackServer.run(serve: { connection in
            _ = try connection.head()
            try connection.skip(length)
            connection.write(.response(200, "done"))
        }) { server in
            let client = APIClient(transport: TransportUnderTest.make())
            let request = try server.request("/photos", method: "POST")
            let before = try #require(ProcessResources.residentMegabytes)
            let most = Locked(before)

            try await client.upload(TextRequest(), with: request, from: body) { _ in
                let now = ProcessResources.residentMegabytes ?? .max
                most.withLock { $0 = max($0, now) }
            }

            #expect(most.withLock { $0 } - before < megabytes / 2)
        }
    }
}
#endif
