import APIKit
import APIKitTesting
import Foundation
import Testing

/// Numbers at the ends of their types, any of which could end the process of all tests.
@Suite(.timeLimit(.minutes(10))) struct ExtremeArgumentTests {
    static let durations: [Duration] = [
        .seconds(Int64.max), .seconds(Int64.max) * 15, .milliseconds(Int64.max), .nanoseconds(-1),
        .seconds(Int64.min), .seconds(Int64.min) * 15,
    ]

    @Test(arguments: durations)
    func clockAdvancesToItsEnd(duration: Duration) async throws {
        let clock = ManualClock()
        let end = clock.now.advanced(by: duration).advanced(by: duration)
        let sleeper = Task { try await clock.sleep(until: end) }

        for _ in 0..<20 { clock.advance(by: duration) }
        clock.advance(by: .seconds(Int64.max))

        try await sleeper.value
        #expect(clock.now.duration(to: end) <= .zero)
    }

    @Test(arguments: durations)
    func delayedResponseIsCancelledOrArrives(delay: Duration) async throws {
        let server = MockServer { _ in .text("ok").delayed(delay).delayed(delay) }

        let load = Task { try await server.send(.make("GET")) }
        _ = try await server.nextRequest()
        if delay > .zero { load.cancel() }

        let result = await load.result
        #expect((try? result.get()) == nil || delay < .zero)
    }

    @Test func delayedResponseArrivesAtTheEndOfTheClock() async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(.any, reply: .text("ok").delayed(.seconds(Int64.max)))

        let load = Task { try await server.send(.make("GET")) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(Int64.max))

        #expect(try await load.value.0 == Data("ok".utf8))
    }

    @Test(arguments: [Int.max, .max - 1, 100])
    func throttledResponseArrives(rate: Int) async throws {
        let server = MockServer { _ in .text("ok").throttled(bytesPerSecond: rate) }

        #expect(try await server.send(.make("GET")).0 == Data("ok".utf8))
    }

    @Test(arguments: [0, -1, .min])
    func throttledResponseTakesOneBytePerSecondAtLeast(rate: Int) async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(.any, reply: .text("ok").throttled(bytesPerSecond: rate))

        let load = Task { try await server.send(.make("GET")) }
        for _ in 0..<2 {
            await clock.waitForSleepers()
            clock.advance(by: .seconds(1))
        }

        #expect(try await load.value.0 == Data("ok".utf8))
    }

    @Test(arguments: [-1, .min, 0, .max])
    func truncatedResponseEndsAtTheSize(size: Int) async throws {
        let server = MockServer { _ in .text("ok").truncated(after: size) }

        let result = await Task { try await server.send(.make("GET")).0 }.result

        #expect((try? result.get()) == (size > 0 ? Data("ok".utf8) : nil))
    }

    @Test(arguments: [Int.max, .min, -1, 0, 99, 1000])
    func anyStatusArrives(status: Int) async throws {
        let server = MockServer { _ in .status(status) }

        let response = try await server.send(.make("GET")).1 as? HTTPURLResponse

        #expect(response?.statusCode == status)
    }

    @Test(arguments: [Times.atLeast(.max), .atLeast(.min), .atMost(.max), .between(.min ... .max)])
    func routeTakesAnyCount(times: Times) async throws {
        let server = MockServer()
        let route = server.on(.any, reply: .text("ok"), times: times)
        defer { route.remove() }

        #expect(try await server.send(.make("GET")).0 == Data("ok".utf8))
        #expect(!"\(times)".isEmpty)
    }

    @Test(arguments: [Int.min, -1])
    func negativeCountIsNone(count: Int) {
        #expect(Times(integerLiteral: count) == .never)
        #expect(Times.atMost(count) == .never)
        #expect(Times.between(Int.min...count) == .never)
    }

    @Test(arguments: durations)
    func waitTakesAnyLimit(limit: Duration) async throws {
        let server = MockServer { _ in .text("ok") }
        _ = try await server.send(.make("GET"))
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }

        _ = try await server.nextRequest(within: limit)
        if limit > .zero { await clock.waitForSleepers(within: limit) }

        sleeper.cancel()
    }

    @Test(arguments: durations)
    func eventsCarryAnyReconnectionTime(retry: Duration) async throws {
        let server = MockServer { _ in .events([ServerSentEvent(data: "a", retry: retry)]) }
        let stream = try await server.stream(.make("GET")).0

        for try await event in stream.events {
            #expect(event.retry == max(.zero, min(retry, .milliseconds(Int64.max))))
        }
    }

    @Test(arguments: ["1e400", "1e-400", String(repeating: "9", count: 1_000), "-0", "1E+0"])
    func anyNumberInJSONIsCompared(number: String) async throws {
        let body = Data(#"{"a":\#(number),"b":1}"#.utf8)
        let matches = Locked(0)
        let server = MockServer { _ in .text("ok") }
        server.on(.post("/**").jsonContaining(["b": 1]), times: .anyNumber) { _ in
            matches.withLock { $0 += 1 }
            return .text("ok")
        }

        _ = try await server.send(.make("POST", body: body))

        // A decoder may refuse the number. The pattern does not match then.
        let canDecode = (try? JSONDecoder().decode([String: Double].self, from: body)) != nil
        #expect(matches.withLock { $0 } == 1 || !canDecode)
    }

    @Test(arguments: [0, -1, Int.min, .max])
    func failureTakesAnyLine(line: Int) {
        let server = MockServer()

        withKnownIssue { server.verify(.get("/a"), line: line, column: line) }
    }
}
