import APIKit
import Foundation
import Testing

/// Loads complete when their server fails, and release their resources.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StressTests {
    @Test func closedConnectionFailsItsLoads() async throws {
        for _ in 0..<Stress.count(200) {
            try await LoopbackServer.run(respond: { _ in
                .close(after: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            }) { server in
                let (transport, request) = (TransportUnderTest.make(), try server.request("/dogs"))
                let failures = await withTaskGroup(of: Bool.self) { group in
                    for _ in 0..<5 {
                        group.addTask { (try? await transport.send(request)) == nil }
                    }
                    return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(failures == 5)
                TransportUnderTest.close(transport)
            }
        }
    }

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
