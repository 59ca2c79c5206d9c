import APIKit
import Foundation
import Testing

/// Cancellation races with every step of a load; each load has to end exactly once.
///
/// A wrong step of the transport ends the process, or leaves a load that never ends.
@Suite struct CancellationRaceTests {
    private static let rex = URLCredential(user: "rex", password: "bone", persistence: .none)
    private static let lanes = 20
    private static let loadsPerLane =
        (ProcessInfo.processInfo.environment["STRESS"].flatMap(Int.init) ?? 2000) / lanes

    @Test(.timeLimit(.minutes(5)), arguments: CacheUse.allCases)
    func endsEachLoadOnceWhereverItIsCancelled(cache: CacheUse) async throws {
        try await RawServer.run(replying: Self.reply) { server in
            let delegate = ChallengeDelegate { challenge in
                challenge.failureResponse?.url?.path == "/login"
                    ? (.useCredential, Self.rex) : (.performDefaultHandling, nil)
            }
            let session = URLSession.make(cache: cache.cache, delegate: delegate)
            let requests = try ["/plain", "/redirect", "/login", "/refused"].map(server.request)

            let outcomes = await withTaskGroup(of: Outcomes.self) { group in
                for lane in 0..<Self.lanes {
                    group.addTask {
                        await Self.race(requests, in: session, seed: UInt64(lane))
                    }
                }
                return await group.reduce(into: Outcomes()) { $0.add($1) }
            }

            #expect(outcomes.wrong == 0)
            #expect(outcomes.answered > 0)
            #expect(outcomes.cancelled > 0)
            #expect(outcomes.answered + outcomes.cancelled == Self.lanes * Self.loadsPerLane)

            // A session becomes invalid when its last task has ended, so none is left behind.
            session.finishTasksAndInvalidate()
            for await _ in delegate.invalidation {}
        }
    }

    /// Every answer is the same text in the end, by way of a redirect, a login or a refusal.
    @Sendable private static func reply(to head: String) -> RawServer.Reply {
        switch head.split(separator: " ").dropFirst().first {
        case "/redirect":
            .answer(302, "moved", headers: ["Location": "/plain"])
        case "/login" where !head.contains("Authorization: Basic"), "/refused":
            .answer(401, "hello", headers: ["WWW-Authenticate": #"Basic realm="dogs""#])
        default:
            .answer(200, "hello")
        }
    }

    /// Starts load after load, and cancels each after a pseudo-random number of yields.
    private static func race(
        _ requests: [URLRequest], in session: URLSession, seed: UInt64
    ) async -> Outcomes {
        var random = SeededGenerator(seed: seed)
        var outcomes = Outcomes()
        for number in 0..<loadsPerLane {
            let load = Task { try await session.send(requests[number % requests.count]) }
            // Short waits as often as long ones, from before the start to after the end.
            for _ in 0..<(1 << Int.random(in: 0..<12, using: &random)) { await Task.yield() }
            load.cancel()
            outcomes.count(await load.result)
        }
        return outcomes
    }
}

/// How loads ended.
private struct Outcomes: Sendable {
    private(set) var answered = 0
    private(set) var cancelled = 0
    private(set) var wrong = 0

    mutating func count(_ result: Result<(Data, URLResponse), any Error>) {
        switch result {
        case .success((let data, _)) where data == Data("hello".utf8): answered += 1
        case .failure(is CancellationError): cancelled += 1
        default: wrong += 1
        }
    }

    mutating func add(_ other: Outcomes) {
        answered += other.answered
        cancelled += other.cancelled
        wrong += other.wrong
    }
}

/// The numbers of SplitMix64, the same in each run.
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
