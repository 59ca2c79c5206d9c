import APIKit
import Foundation
import Testing

/// Loads complete when their server fails, and release their resources.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StressTests {
    @Test(arguments: TransportUnderTest.allCases)
    func repeatedLoadsReleaseFilesTasksAndMemory(kind: TransportUnderTest) async throws {
        try await ProcessResources.expectNoGrowth {
            try await LoopbackServer.run(respond: { _ in .response(200, "hello") }) { server in
                let request = try server.request("/dogs")
                // Each transport performs 100 loads.
                for _ in 0..<(ProcessResources.loadsInARound / 100) {
                    try await kind.run { transport in
                        for _ in 0..<50 {
                            _ = try await transport.send(request)
                            _ = try await transport.stream(request).0.data()
                        }
                    }
                }
            }
        }
    }
}
