import APIKit
import APIKitTesting
import Foundation
import Testing

/// Each stream ends exactly once, even if cancellation races with any of its steps.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct StreamRaceTests {
    /// The number of calls with each outcome.
    private struct Tally: Sendable {
        var read = 0
        var left = 0
        var canceled = 0
        var wrong: [String] = []

        static func += (first: inout Tally, second: Tally) {
            first.read += second.read
            first.left += second.left
            first.canceled += second.canceled
            first.wrong += second.wrong
        }

        var count: Int { read + left + canceled }
    }

    private static let body = String(repeating: "0123456789", count: 20)

    @Test func everyStreamOfMockEndsOnce() async throws {
        let calls = Stress.isFull ? 150 : 6
        let server = MockServer(unhandled: .reply(.text(Self.body)))
        server.on(.path("/v1/1"), times: .anyNumber) { _ in
            .stream((0..<10).map { _ in Data(Self.body.utf8.prefix(20)) })
        }
        server.on(.path("/v1/2"), times: .anyNumber) { _ in
            await Task.yield()
            return .text(Self.body)
        }
        let limit = ConcurrencyLimit(50)

        let tally = await race(APIClient.make(server.session, limit), lanes: 20, calls: calls)

        #expect(tally.wrong.isEmpty)
        #expect(tally.count == 20 * calls)
        #expect(min(tally.read, tally.left, tally.canceled) > 0)
        try await limit.expectFree(50)
    }

    @Test func everyStreamOfServerEndsOnce() async throws {
        let server = try LoopbackServer { request, connection in
            switch request.path {
            case "/v1/1":
                connection.write(LoopbackServer.response(302, ["Location: /v1/0"], body: "moved"))
            case "/v1/2" where request.header("Authorization") == nil:
                connection.write(
                    LoopbackServer.response(
                        401, ["WWW-Authenticate: Basic realm=\"d\""], body: "who?"))
            default:
                connection.write(LoopbackServer.head(200, ["Content-Length: 200"]))
                for _ in 0..<10 { connection.write(String(Self.body.prefix(20))) }
            }
        }
        let limit = ConcurrencyLimit(20)
        let calls = Stress.isFull ? 60 : 6
        let session = URLSession.plain(delegate: ChallengeDelegate(password: "right"))

        let tally = await race(
            APIClient.make(baseURL: server.url("/v1"), transport: session, interceptors: [limit]),
            lanes: 10, calls: calls)

        #expect(tally.wrong.isEmpty)
        #expect(tally.count == 10 * calls)
        #expect(min(tally.read, tally.left, tally.canceled) > 0)
        try await limit.expectFree(20)
    }

    private func race(_ client: APIClient, lanes: Int, calls: Int) async -> Tally {
        await withTaskGroup(of: Tally.self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(lane))
                    var tally = Tally()
                    for _ in 0..<calls { tally += await Self.race(client, by: &random) }
                    return tally
                }
            }
            return await group.reduce(into: Tally()) { $0 += $1 }
        }
    }

    /// Reads a stream or a part of it, and cancels most tasks at a random moment.
    private static func race(_ client: APIClient, by random: inout SeededGenerator) async -> Tally {
        let events = Locked<[String]>([])
        let path = Int.random(in: 0..<3, using: &random)
        let limit = Int.random(in: 0..<3, using: &random) == 0 ? 30 : Int.max
        // The rest ends on a machine of any speed.
        let isCanceled = Int.random(in: 0..<4, using: &random) > 0
        let pause = 1 << Int.random(in: 0..<13, using: &random)
        var client = client
        client.observers = { _ in [RecordingObserver(events: events)] }

        let load = Task { [client] in
            let request = EchoRequest { try URLRequest(.get, APIPath(verbatim: "\(path)")) }
            var count = 0
            for try await chunk in try await client.stream(request).value {
                count += chunk.count
                if count > limit { break }
            }
            return count
        }
        if isCanceled {
            for _ in 0..<pause { await Task.yield() }
            load.cancel()
        }
        let result = await load.result

        var tally = Tally()
        let ends = events.current.filter { $0.hasPrefix("succeeded") || $0.hasPrefix("failed") }
        switch (result, ends) {
        case (.success(200), ["succeeded: ()"]): tally.read = 1
        case (.success(30...), ["failed: CancellationError()"]): tally.left = 1
        case (.failure(is CancellationError), ["failed: CancellationError()"]): tally.canceled = 1
        default: tally.wrong.append("\(path) \(result) \(events.current)")
        }
        return tally
    }
}
