#if os(Linux) && compiler(>=6.2)
import APIKit
import Foundation
import Testing

@Suite struct UploadMemoryTests {
    private static let size = (Stress.isFull ? 1024 : 128) << 20

    // Each in a process of its own, as other tests need memory at the same time.
    @Test(.timeLimit(.minutes(5))) func needsNoMoreOfItForALargeFile() async {
        await #expect(processExitsWith: .success) {
            try await Self.expectLittleGrowth { .file($0) }
        }
    }

    @Test(.timeLimit(.minutes(5))) func needsNoMoreOfItForAFormWithALargeFile() async {
        await #expect(processExitsWith: .success) {
            try await Self.expectLittleGrowth { .multipart([.file("file", $0)]) }
        }
    }

    private static func expectLittleGrowth(uploading make: (URL) -> HTTPBody) async throws {
        let directory = try TemporaryDirectory()
        let body = make(try directory.hole(of: size))
        let length = try body.length()
        try await RawServer.run(serving: { connection in
            _ = try await connection.head()
            try await connection.skip(length)
            try await connection.send(.answer(200, "done"))
        }) { server in
            let client = APIClient(transport: URLSession.make())
            let request = try server.request("/photos", method: "POST")
            let before = residentSize
            let most = Lock(before)

            try await client.upload(TextRequest(), with: request, from: body) { _ in
                let now = residentSize
                most.withLock { $0 = max($0, now) }
            }

            #expect(most.withLock { $0 } - before < size / 2)
        }
    }

    /// How much memory the process has, in bytes.
    private static var residentSize: Int {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").dropLast().last.flatMap { Int($0) } ?? 0) << 10
    }
}
#endif
