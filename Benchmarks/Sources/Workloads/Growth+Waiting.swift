import APIKit
import APIKitTesting
import Foundation

extension Comparison {
    static let growthOfWaiting =
        flat("ConcurrencyLimit, passing", with: "waiting call") { count in
            let limit = ConcurrencyLimit(2, perHost: 1)
            let waiting = await Crowd(count) { _ in
                _ = try await limit.intercept(APICall(to: "https://a.example"), next: block)
            }
            let call = try APICall(to: "https://b.example")
            return Workload.run(keeping: waiting) {
                _ = try await limit.intercept(call) { try $0.respond() }
            }
        }
        + flat("ConcurrencyLimit, passing", with: "busy host") { count in
            let limit = ConcurrencyLimit(.max, perHost: 1)
            let busy = await Crowd(count) { number in
                let call = try APICall(to: "https://a\(number).example")
                _ = try await limit.intercept(call, next: block)
            }
            let call = try APICall(to: "https://b.example")
            return Workload.run(keeping: busy) {
                _ = try await limit.intercept(call) { try $0.respond() }
            }
        }
        + linear("ConcurrencyLimit, serving in turn", each: "call") { count in
            let limit = ConcurrencyLimit(1)
            let call = try APICall(to: "https://a.example")
            return {
                try await all(count) { _ in
                    _ = try await limit.intercept(call) { call in
                        await Task.yield()
                        return try call.respond()
                    }
                }
            }
        }
        + linear("ConcurrencyLimit, canceling", each: "waiting call") { count in
            let limit = ConcurrencyLimit(1)
            let call = try APICall(to: "https://a.example")
            let first = await Crowd(1) { _ in _ = try await limit.intercept(call, next: block) }
            return Workload.run(keeping: first) {
                let waiting = await Crowd(count) { _ in
                    _ = try await limit.intercept(call, next: block)
                }
                await waiting.cancel()
            }
        }
        + linear("Coalescing, one load", each: "caller") { count in
            let coalescing = Coalescing()
            let call = try APICall(to: "https://a.example")
            return {
                // The load ends when all callers have arrived.
                let (arrivals, arrival) = AsyncStream<Void>.makeStream()
                let last = Task { for await _ in arrivals.prefix(count) {} }
                try await all(count) { _ in
                    arrival.yield()
                    _ = try await coalescing.intercept(call) { call in
                        await last.value
                        return try call.respond()
                    }
                }
            }
        }
        + linear("Coalescing, canceling", each: "caller") { count in
            let coalescing = Coalescing()
            let call = try APICall(to: "https://a.example")
            return {
                let waiting = await Crowd(count) { _ in
                    _ = try await coalescing.intercept(call, next: block)
                }
                await waiting.cancel()
            }
        }
        + linear("BearerAuthentication, one refresh", each: "caller") { count in
            let call = try APICall(to: "https://a.example")
            return {
                let authentication = BearerAuthentication(Tokens(), hosts: ["a.example"])
                try await all(count) { _ in
                    let response = try await authentication.intercept(call) { call in
                        let field = call.request.value(forHTTPHeaderField: "Authorization")
                        return try call.respond(field == "Bearer new" ? 200 : 401)
                    }
                    try WrongResult.unless(response.statusCode == 200)
                }
            }
        }
        + flat("ManualClock, sleeping and advancing", with: "sleeper") { count in
            let clock = ManualClock()
            let sleepers = await Crowd(count) { _ in
                try await clock.sleep(for: .seconds(1_000_000))
            }
            await clock.waitForSleepers(count)
            return Workload.run(keeping: sleepers) {
                async let sleep: Void = clock.sleep(for: .nanoseconds(1))
                await clock.waitForSleepers(count + 1)
                clock.advance(by: .nanoseconds(1))
                try await sleep
            }
        }
        + flat("ManualClock, canceling a sleep", with: "sleeper") { count in
            let clock = ManualClock()
            let sleepers = await Crowd(count) { _ in
                try await clock.sleep(for: .seconds(1_000_000))
            }
            await clock.waitForSleepers(count)
            return Workload.run(keeping: sleepers) {
                let sleep = Task { try await clock.sleep(for: .seconds(1)) }
                await clock.waitForSleepers(count + 1)
                sleep.cancel()
                _ = await sleep.result
            }
        }
        + linear("ManualClock.advance, one deadline", each: "sleeper") { count in
            let clock = ManualClock()
            return {
                let sleepers = await Crowd(count) { _ in try await clock.sleep(for: .seconds(1)) }
                await clock.waitForSleepers(count)
                clock.advance(by: .seconds(1))
                await sleepers.wait()
            }
        }
        + linear("ManualClock.advanceToNextDeadline", each: "sleeper") { count in
            let clock = ManualClock()
            return {
                let sleepers = await Crowd(count) { number in
                    try await clock.sleep(for: .seconds(1 + number))
                }
                await clock.waitForSleepers(count)
                for _ in 0..<count { await clock.advanceToNextDeadline() }
                await sleepers.wait()
            }
        }
        + linear("MockServer.send, responders at once", each: "request") { count in
            let request = try URLRequest(to: "https://a.example")
            return {
                let server = MockServer { _ in .status(200) }
                try await all(count) { _ in _ = try await server.send(request) }
            }
        }
        + flat("MockServer.send", with: "unfinished load") { count in
            let server = MockServer()
            server.on(.get("/a"))
            server.on(.get("/b"), reply: .never)
            let request = try URLRequest(to: "https://a.example/a")
            let other = try URLRequest(to: "https://a.example/b")
            let loads = await Crowd(count) { _ in _ = try await server.send(other) }
            return Workload.run(keeping: loads) { _ = try await server.send(request) }
        }
        + flat("a data task", with: "unfinished load") { count in
            let server = MockServer()
            server.on(.get("/a"))
            server.on(.get("/b"), reply: .never)
            let session = server.session
            let request = try URLRequest(to: "https://a.example/a")
            let other = try URLRequest(to: "https://a.example/b")
            let tasks = (0..<count).map { _ in session.dataTask(with: other) { _, _, _ in } }
            for task in tasks { task.resume() }
            return {
                _ = try await session.bareData(for: request)
                withExtendedLifetime((server, tasks)) {}
            }
        }
        + linear("MockServer.stream, open at once", each: "stream") { count in
            let server = MockServer()
            server.on(.any, reply: .stream([Data("a".utf8), Data("b".utf8)]))
            let request = try URLRequest(to: "https://a.example")
            return {
                var streams: [ByteStream.AsyncIterator] = []
                for _ in 0..<count {
                    streams.append(try await server.stream(request).0.makeAsyncIterator())
                }
                for index in streams.indices {
                    while try await streams[index].next() != nil {}
                }
            }
        }

    /// Waits until the calling task is canceled.
    @Sendable private static func block(_ call: APICall) async throws -> APIResponse<Data> {
        try await Task.sleep(for: .seconds(1_000_000))
        return try call.respond()
    }

    /// Runs tasks at once, and waits for all of them.
    private static func all(
        _ count: Int, _ work: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count { group.addTask { try await work(number) } }
            try await group.waitForAll()
        }
    }
}

/// Tasks that are canceled when their last reference is released.
private final class Crowd: Sendable {
    private let tasks: [Task<Void, any Error>]

    /// Starts the tasks, and waits until each has begun its work.
    init(_ count: Int, _ work: @escaping @Sendable (Int) async throws -> Void) async {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        tasks = (0..<count).map { number in
            Task {
                arrival.yield()
                try await work(number)
            }
        }
        var iterator = arrivals.makeAsyncIterator()
        for _ in tasks { await iterator.next() }
    }

    deinit {
        for task in tasks { task.cancel() }
    }

    func wait() async {
        for task in tasks { _ = await task.result }
    }

    func cancel() async {
        for task in tasks { task.cancel() }
        await wait()
    }
}

private actor Tokens: TokenProvider {
    private var current = "old"

    func token() -> String? { current }

    func refresh(replacing token: String) -> String? {
        current = "new"
        return current
    }
}
