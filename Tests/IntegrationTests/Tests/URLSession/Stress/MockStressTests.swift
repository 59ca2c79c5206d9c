import APIKit
import APIKitTesting
import Foundation
import Testing

/// Many concurrent mocks, loads and tasks complete, and release their resources.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MockStressTests {
    private struct Weak<Object: AnyObject> {
        weak var object: Object?
    }

    private let url = URL(string: "http://127.0.0.1:8001/dogs")

    private func request() throws -> URLRequest { URLRequest(url: try #require(url)) }

    @Test func randomlySuspendedTasksCompleteOnce() async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(.get("/dogs"), reply: .text("hello").delayed(.seconds(1)))
        server.on(.get("/queue"), reply: .text("empty"))
        let (session, request) = (server.session, try request())
        var random = SeededGenerator(seed: 1)
        let ends = AsyncStream.makeStream(of: Bool.self)
        let count = Stress.count(5_000)
        let tasks = (0..<count).map { _ in
            session.dataTask(with: request) { data, _, _ in
                ends.continuation.yield(data == Data("hello".utf8))
            }
        }
        for task in tasks { task.resume() }
        for _ in 0..<count { _ = try await server.nextRequest(within: .seconds(60)) }
        await clock.waitForSleepers(count)

        for task in tasks {
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                task.suspend()
                if Bool.random(using: &random) { await Task.yield() }
                task.resume()
            }
            if Bool.random(using: &random) { task.suspend() }
        }
        // On Linux the process traps if a task completes before the system has resumed it. When
        // this load on the same queue completes, the system has carried out every earlier
        // `resume()`.
        let queue = try #require(URL(string: "http://127.0.0.1:8001/queue"))
        #expect(try await session.load(URLRequest(url: queue)).value == "empty")
        clock.advance(by: .seconds(1))
        for task in tasks where task.state == .suspended { task.resume() }

        var right = 0
        var iterator = ends.stream.makeAsyncIterator()
        for _ in 0..<count where await iterator.next() == true { right += 1 }
        #expect(right == count)
        #expect(server.requests.count == count + 1)
    }

    @Test func repeatedLoadsOfMocksReleaseFilesTasksAndMemory() async throws {
        try await ProcessResources.expectNoGrowth {
            var references: [Weak<MockServer>] = []
            // Each server receives 100 requests.
            for _ in 0..<(ProcessResources.loadsInARound / 100) {
                let server = MockServer { _ in .stream([Data("hel".utf8), Data("lo".utf8)]) }
                for _ in 0..<50 {
                    _ = try await server.session.send(request())
                    _ = try await server.session.stream(request())
                }
                server.session.finishTasksAndInvalidate()
                references.append(Weak(object: server))
            }
            #expect(references.allSatisfy { $0.object == nil })
        }
    }
}
