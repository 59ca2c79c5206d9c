import APIKit
import Foundation
import Testing

@Suite struct CancellationTests {
    @Test func loadCancelledBeforeItsStartSendsNoRequest() async throws {
        try await LocalServer.run(respond: { _ in .text("") }) { server in
            let (session, request) = (URLSession.make(), try server.request("/dogs"))
            let load = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await session.load(request)
            }

            load.cancel()

            await #expect(throws: CancellationError.self) { try await load.value }
            #expect(await server.requests.isEmpty)
        }
    }

    @Test(arguments: CacheUse.allCases)
    func cancelledLoadThrowsAtOnce(cache: CacheUse) async throws {
        try await LocalServer.run(respond: { _ in try await .never }) { server in
            let session = URLSession.make(cache: cache.cache)
            let request = try server.request("/dogs")
            let load = Task { try await session.load(request) }
            await server.waitForRequest()

            let duration = await ContinuousClock().measure {
                load.cancel()
                await #expect(throws: CancellationError.self) { try await load.value }
            }

            #expect(duration < .seconds(20))
        }
    }
}
