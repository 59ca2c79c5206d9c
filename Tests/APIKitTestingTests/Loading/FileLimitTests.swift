#if (os(Linux) || os(macOS)) && compiler(>=6.2)
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn) struct FileLimitTests {
    // Runs in a separate process, because the limit applies to a whole process.
    @Test func sessionRaisesTheFileLimit() async {
        await #expect(processExitsWith: .success) { try Self.makeASessionUnderALowLimit() }
    }

    private static func makeASessionUnderALowLimit() throws {
        var limit = rlimit()
        #expect(getrlimit(FileLimit.resource, &limit) == 0)
        // The process inherits open files, and opens some more.
        let open = try FileManager.default.contentsOfDirectory(atPath: "/dev/fd")
        limit.rlim_cur = rlim_t(open.compactMap { Int($0) }.max() ?? 0) + 100
        #expect(setrlimit(FileLimit.resource, &limit) == 0)

        _ = MockServer().session

        let low = limit.rlim_cur
        #expect(getrlimit(FileLimit.resource, &limit) == 0)
        #expect(limit.rlim_cur > low)
        #expect(limit.rlim_cur == min(limit.rlim_max, FileLimit.highest))
    }
}
#endif
