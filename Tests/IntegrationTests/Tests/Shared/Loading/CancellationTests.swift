import APIKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct CancellationTests {
    @Test func loadCanceledBeforeItsStartSendsNoRequest() async throws {
        try await LocalServer.run(respond: { _ in .text("") }) { server in
            let (transport, request) = (TransportUnderTest.make(), try server.request("/dogs"))
            let load = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await transport.load(request)
            }

            load.cancel()

            await #expect(throws: CancellationError.self) { try await load.value }
            #expect(await server.requests.isEmpty)
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func canceledLoadThrowsAtOnce(kind: TransportUnderTest) async throws {
        try await LocalServer.run(respond: { _ in try await .never }) { server in
            let transport = kind.make()
            let request = try server.request("/dogs")
            let load = Task { try await transport.load(request) }
            await server.waitForRequest()

            let duration = await ContinuousClock().measure {
                load.cancel()
                await #expect(throws: CancellationError.self) { try await load.value }
            }

            #expect(duration < .seconds(20))
        }
    }
}
