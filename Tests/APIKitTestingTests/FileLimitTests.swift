#if os(Linux) && compiler(>=6.2)
import APIKitTesting
import Foundation
import Testing

@Suite struct FileLimitTests {
    // In a process of its own: the limit is one for all tests.
    @Test func isRaisedForSessions() async {
        await #expect(processExitsWith: .success) { try Self.makeASessionUnderALowLimit() }
    }

    private static func makeASessionUnderALowLimit() throws {
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        #expect(getrlimit(files, &limit) == 0)
        // The process has files of the one that started it, and needs some itself.
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        limit.rlim_cur = rlim_t(open.compactMap { Int($0) }.max() ?? 0) + 100
        #expect(setrlimit(files, &limit) == 0)

        _ = MockServer().session

        let low = limit.rlim_cur
        #expect(getrlimit(files, &limit) == 0)
        #expect(limit.rlim_cur > low)
        #expect(limit.rlim_cur == min(limit.rlim_max, 65_536))
    }
}
#endif
