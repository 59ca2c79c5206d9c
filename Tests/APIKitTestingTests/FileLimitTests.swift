#if os(Linux) && compiler(>=6.2)
import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite struct FileLimitTests {
    // In a process of its own: the limit is one for all tests.
    @Test func isNotReachedByHundredsOfSessions() async {
        await #expect(processExitsWith: .success) { try await Self.openHundredsOfSessions() }
    }

    private static func openHundredsOfSessions() async throws {
        var limit = rlimit()
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #expect(getrlimit(files, &limit) == 0)
        limit.rlim_cur = 128
        #expect(setrlimit(files, &limit) == 0)

        let servers = (0..<200).map { _ in MockServer { _ in .text("hello") } }
        let sessions = servers.map(\.session)

        for session in sessions { #expect(try await session.text("/") == "hello") }
        #expect(try !String(contentsOfFile: "/proc/self/status", encoding: .utf8).isEmpty)
    }
}
#endif
