import APIKit
import APIKitTesting
import Foundation

extension Comparison {
    static let growthOfWaiting =
        flat("ConcurrencyLimit, passing", with: "waiting call") { count in
            let limit = ConcurrencyLimit(2, perHost: 1, waiting: .max)
            let waiting = await Crowd(count) { _ in
                _ = try await limit.intercept(APICall(to: "https://a.example"), next: block)
            }
            let call = try APICall(to: "https://b.example")
            return Workload.run(keeping: waiting) {
                try await limit.intercept(call) { try $0.respond() }.statusCode == 200
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
                try await limit.intercept(call) { try $0.respond() }.statusCode == 200
            }
        }
        + linear("ConcurrencyLimit, serving in turn", each: "call") { count in
            let limit = ConcurrencyLimit(1, waiting: .max)
            let call = try APICall(to: "https://a.example")
            return {
                try await atOnce(count) { _ in
                    let response = try await limit.intercept(call) { call in
                        await Task.yield()
                        return try call.respond()
                    }
                    return response.statusCode == 200
                }
            }
        }
        + linear("ConcurrencyLimit, canceling", each: "waiting call") { count in
            let limit = ConcurrencyLimit(1, waiting: .max)
            let call = try APICall(to: "https://a.example")
            let first = await Crowd(1) { _ in _ = try await limit.intercept(call, next: block) }
            return Workload.run(keeping: first) {
                let waiting = await Crowd(count) { _ in
                    _ = try await limit.intercept(call, next: block)
                }
                return await waiting.cancel()
            }
        }
        + linear("Coalescing, one load", each: "caller") { count in
            let coalescing = Coalescing()
            let call = try APICall(to: "https://a.example")
            return {
                let loads = Tally()
                // The load ends when all callers have arrived.
                let (arrivals, arrival) = AsyncStream<Void>.makeStream()
                let last = Task { for await _ in arrivals.prefix(count) {} }
                let areLoaded = try await atOnce(count) { _ in
                    arrival.yield()
                    let response = try await coalescing.intercept(call) { call in
                        loads.add(1)
                        await last.value
                        return try call.respond()
                    }
                    return response.statusCode == 200
                }
                // A caller that arrives late, between its announcement and its call, starts another load.
                return areLoaded && (1...max(1, count / 10)).contains(loads.sum)
            }
        }
        + linear("Coalescing, canceling", each: "caller") { count in
            let coalescing = Coalescing()
            let call = try APICall(to: "https://a.example")
            return {
                let waiting = await Crowd(count) { _ in
                    _ = try await coalescing.intercept(call, next: block)
                }
                return await waiting.cancel()
            }
        }
        + linear("BearerAuthentication, one refresh", each: "caller") { count in
            let call = try APICall(to: "https://a.example")
            return {
                let authentication = BearerAuthentication(Tokens(), hosts: ["a.example"])
                return try await atOnce(count) { _ in
                    let response = try await authentication.intercept(call) { call in
                        let field = call.request.value(forHTTPHeaderField: "Authorization")
                        return try call.respond(field == "Bearer new" ? 200 : 401)
                    }
                    return response.statusCode == 200
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
                let start = clock.now
                async let sleep: Void = clock.sleep(for: .nanoseconds(1))
                await clock.waitForSleepers(count + 1)
                clock.advance(by: .nanoseconds(1))
                try await sleep
                return start.duration(to: clock.now) == .nanoseconds(1)
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
                return await sleep.endsWithCancellation
            }
        }
        + linear("ManualClock.advance, one deadline", each: "sleeper") { count in
            let clock = ManualClock()
            return {
                let sleepers = await Crowd(count) { _ in try await clock.sleep(for: .seconds(1)) }
                await clock.waitForSleepers(count)
                clock.advance(by: .seconds(1))
                return await sleepers.succeed()
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
                return await sleepers.succeed()
            }
        }
        + linear("MockServer.send, responders at once", each: "request") { count in
            let request = try URLRequest(to: "https://a.example")
            return {
                let server = MockServer { _ in .status(200) }
                return try await atOnce(count) { _ in try await server.responds(to: request) }
            }
        }
        + flat("MockServer.send", with: "unfinished load") { count in
            let server = MockServer()
            server.on(.get("/a"))
            server.on(.get("/b"), reply: .never)
            let request = try URLRequest(to: "https://a.example/a")
            let other = try URLRequest(to: "https://a.example/b")
            let loads = await Crowd(count) { _ in _ = try await server.send(other) }
            return Workload.run(keeping: loads) { try await server.responds(to: request) }
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
                defer { withExtendedLifetime((server, tasks)) {} }
                return try await session.bareData(for: request).1.statusCode == 200
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
                var length = 0
                for index in streams.indices {
                    while let chunk = try await streams[index].next() { length += chunk.count }
                }
                return length == 2 * count
            }
        }

    /// Waits until the calling task is canceled.
    @Sendable private static func block(_ call: APICall) async throws -> APIResponse<Data> {
        try await Task.sleep(for: .seconds(1_000_000))
        return try call.respond()
    }

    /// Runs tasks at once, waits for all of them, and returns whether each check holds.
    private static func atOnce(
        _ count: Int, _ check: @escaping @Sendable (Int) async throws -> Bool
    ) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<count { group.addTask { try await check(number) } }
            return try await group.reduce(true) { $0 && $1 }
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

    /// Waits for all tasks, and returns whether each succeeds.
    func succeed() async -> Bool {
        await Comparison.all(tasks.count) { (try? await tasks[$0].value) != nil }
    }

    /// Cancels all tasks, waits for them, and returns whether each ends with a `CancellationError`.
    func cancel() async -> Bool {
        for task in tasks { task.cancel() }
        return await Comparison.all(tasks.count) { await tasks[$0].endsWithCancellation }
    }
}

extension Task where Success == Void, Failure == any Error {
    fileprivate var endsWithCancellation: Bool {
        get async {
            do {
                try await value
                return false
            } catch {
                return error is CancellationError
            }
        }
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
