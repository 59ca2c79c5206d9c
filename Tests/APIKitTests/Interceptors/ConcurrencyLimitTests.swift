import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct ConcurrencyLimitTests {
    /// A transport whose requests complete when the test releases them.
    private final class HeldTransport: HTTPTransport {
        private let clock = ManualClock()
        private let paths = Locked<[String]>([])

        var arrived: [String] { paths.current }

        func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
            let url = try #require(request.url)
            paths.append(url.lastPathComponent)
            try await clock.sleep(for: .seconds(1))
            return (Data("ok".utf8), try HTTPURLResponse.make(url: url.absoluteString))
        }

        /// Waits until a number of requests are under way.
        func untilHolding(_ count: Int) async { await clock.waitForSleepers(count) }

        /// Completes the requests that are under way.
        func release() { clock.advance(by: .seconds(1)) }
    }

    private let transport = HeldTransport()

    private func request(_ name: String, host: String = "a.example") -> EchoRequest {
        EchoRequest { try URLRequest(.get, APIPath(verbatim: "https://\(host)/\(name)")) }
    }

    private func load(
        _ name: String, host: String = "a.example", by client: APIClient
    ) -> Task<String, any Error> {
        Task { try await client.load(request(name, host: host)) }
    }

    private func client(_ limit: ConcurrencyLimit) -> APIClient {
        .make(transport, limit)
    }

    /// Starts loads in order, each after the previous one waits or is under way.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    private func start(
        _ names: [String], hosts: [String] = [], by client: APIClient
    ) async -> [Task<String, any Error>] {
        let executor = QuietExecutor()
        var loads: [Task<String, any Error>] = []
        for (index, name) in names.enumerated() {
            let host = hosts.indices.contains(index) ? hosts[index] : "a.example"
            loads.append(
                Task(executorPreference: executor) {
                    try await client.load(request(name, host: host))
                })
            await executor.untilQuiet()
        }
        return loads
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(arguments: [nil, 2, 7])
    func limitBoundsConcurrentCalls(perHost: Int?) async throws {
        let limit = ConcurrencyLimit(2, perHost: perHost)
        let loads = await start(["1", "2", "3", "4", "5"], by: client(limit))

        for arrived in [["1", "2"], ["1", "2", "3", "4"], ["1", "2", "3", "4", "5"]] {
            await transport.untilHolding(arrived.count % 2 == 0 ? 2 : 1)
            #expect(transport.arrived.sorted() == arrived)
            transport.release()
        }

        for load in loads { #expect(try await load.value == "ok") }
        try await limit.expectFree(2)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(
        arguments: [
            (nil, ["a.example"]), (1, ["a.example"]), (3, ["a.example"]),
            (nil, ["a.example", "a.example", "b.example", "a.example", "b.example"]),
        ] as [(Int?, [String])])
    func callsStartInOrderOfArrival(perHost: Int?, hosts: [String]) async throws {
        let names = (1...6).map(String.init)
        let loads = await start(
            names, hosts: hosts, by: client(ConcurrencyLimit(1, perHost: perHost)))

        for _ in names {
            await transport.untilHolding(1)
            transport.release()
        }
        for load in loads { _ = try await load.value }

        #expect(transport.arrived == names)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func hostAtItsLimitDoesNotDelayOtherHosts() async throws {
        let limit = ConcurrencyLimit(3, perHost: 1)
        let loads = await start(
            ["a1", "a2", "b1"], hosts: ["a.example", "A.example", "b.example"], by: client(limit))

        await transport.untilHolding(2)
        #expect(transport.arrived == ["a1", "b1"])
        transport.release()
        await transport.untilHolding(1)
        #expect(transport.arrived.last == "a2")
        transport.release()

        for load in loads { _ = try await load.value }
    }

    /// The call waits for the limit per host in the first case, and for the total in the second.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(arguments: [(2, 1), (1, 2)])
    func canceledCallLeavesItsQueue(total: Int, perHost: Int) async throws {
        let limit = ConcurrencyLimit(total, perHost: perHost)
        let loads = await start(["1", "2", "3"], by: client(limit))
        await transport.untilHolding(1)

        let canceled = try #require(loads[at: 1])
        canceled.cancel()
        await #expect(throws: CancellationError.self) { try await canceled.value }
        transport.release()
        await transport.untilHolding(1)
        transport.release()

        #expect(try await loads.first?.value == "ok")
        #expect(try await loads.last?.value == "ok")
        #expect(transport.arrived == ["1", "3"])
        try await limit.expectFree(1)
    }

    /// Calls wait for the limit per host, for the total, or for both.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(arguments: [(9, 1), (1, nil), (2, 1)] as [(Int, Int?)])
    func fullQueueRefusesOnlyCallsThatWouldWait(total: Int, perHost: Int?) async throws {
        let limit = ConcurrencyLimit(total, perHost: perHost, waiting: 2)
        let hosts = ["a.example", "a.example", "a.example"]
        let waiting = await start(["a1", "a2", "a3"], hosts: hosts, by: client(limit))

        let error = await expectError(.overloaded) {
            try await client(limit).load(request("a4"))
        }
        #expect(
            error?.description
                == "GET https://a.example/a4 was not sent: the queue of its ConcurrencyLimit is full."
        )
        let other = perHost.map { _ in load("b1", host: "b.example", by: client(limit)) }
        await transport.untilHolding(other == nil ? 1 : 2)
        let loads = waiting + [other].compactMap(\.self)
        while transport.arrived.count < loads.count {
            transport.release()
            await transport.untilHolding(1)
        }
        transport.release()

        for load in loads { #expect(try await load.value == "ok") }
        try await limit.expectFree(1)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func canceledCallLeavesItsPlaceToTheNext() async throws {
        let limit = ConcurrencyLimit(1, waiting: 1)
        let loads = await start(["1", "2"], by: client(limit))
        let canceled = try #require(loads[at: 1])
        canceled.cancel()
        await #expect(throws: CancellationError.self) { try await canceled.value }

        let next = await start(["3"], by: client(limit))
        await transport.untilHolding(1)
        transport.release()
        await transport.untilHolding(1)
        transport.release()

        #expect(try await next.first?.value == "ok")
        #expect(transport.arrived == ["1", "3"])
    }

    /// The second call waits for its host and then, behind the third, for the total.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func callThatWaitsTwiceHasOnePlace() async throws {
        let limit = ConcurrencyLimit(1, perHost: 1, waiting: 2)
        let hosts = ["a.example", "a.example", "b.example"]
        let loads = await start(["a1", "a2", "b1"], hosts: hosts, by: client(limit))

        for _ in loads {
            await transport.untilHolding(1)
            transport.release()
        }

        for load in loads { #expect(try await load.value == "ok") }
        #expect(transport.arrived == ["a1", "b1", "a2"])
    }

    @Test func retryDoesNotRepeatARefusedCall() async throws {
        let client = APIClient.make(transport, Retry(), ConcurrencyLimit(1, waiting: 0))
        let first = load("1", by: client)
        await transport.untilHolding(1)

        await expectError(.overloaded) { try await client.load(request("2")) }

        transport.release()
        #expect(try await first.value == "ok")
    }

    @Test func alreadyCanceledCallDoesNotWait() async throws {
        let client = client(ConcurrencyLimit(1))
        let first = load("1", by: client)
        await transport.untilHolding(1)

        await #expect(throws: CancellationError.self) {
            try await inCanceledTask { try await client.load(EchoRequest()) }
        }

        transport.release()
        #expect(try await first.value == "ok")
    }

    @Test(arguments: [0, -1, .min, .max], [0, -1, .min, .max, nil])
    func limitAllowsAtLeastOneCall(total: Int, perHost: Int?) async throws {
        let client = APIClient.make(interceptors: [ConcurrencyLimit(total, perHost: perHost)])

        #expect(try await client.load(EchoRequest()) == "ok")
    }

    @Test(arguments: [(1, nil), (1, 2), (2, 1)])
    func callCanceledWhenItReceivesAPermitReleasesIt(total: Int, perHost: Int?) async throws {
        let limit = ConcurrencyLimit(total, perHost: perHost, waiting: .max)
        let call = try APICall(
            request: URLRequest(.get, "https://api.example.com"), apiRequest: EchoRequest())
        let response = try APIResponse(value: Data(), http: .make())

        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<Stress.count(2_000) {
                let task = Task { try await limit.intercept(call) { _ in response } }
                group.addTask {
                    task.cancel()
                    _ = await task.result
                }
            }
        }

        try await limit.expectFree(1)
    }

    /// Completed, failed and canceled calls free exactly one place each.
    @Test func limitCountsThousandsOfCallsCorrectly() async throws {
        let running = Locked((now: 0, most: 0))
        // A mock's closure can outlive a canceled call, and so it cannot count the calls.
        let transport = StubTransport { _ in
            running.withLock { ($0.now, $0.most) = ($0.now + 1, max($0.most, $0.now + 1)) }
            await Task.yield()
            running.withLock { $0.now -= 1 }
            return (Data("ok".utf8), try HTTPURLResponse.make())
        }
        let limit = ConcurrencyLimit(7, perHost: 5, waiting: .max)
        let client = APIClient.make(transport, limit)
        let calls = Stress.count(3_000)

        let ended = await withTaskGroup(of: Void.self) { group in
            for number in 0..<calls {
                group.addTask {
                    let load = load("x", host: "h\(number % 3).example", by: client)
                    if number.isMultiple(of: 4) {
                        for _ in 0..<(number % 13) { await Task.yield() }
                        load.cancel()
                    }
                    _ = await load.result
                }
            }
            return await group.reduce(0) { count, _ in count + 1 }
        }

        #expect(ended == calls)
        try await limit.expectFree(5)
        #expect(running.current.most <= 7)
        #expect(running.current.now == 0)
    }
}

/// An executor that runs one job at a time, and counts the remaining jobs.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class QuietExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "QuietExecutor")
    private let pending = Locked(0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pending.increment()
        queue.async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            self.pending.withLock { $0 -= 1 }
        }
    }

    /// Waits until every task of the executor has ended or is suspended.
    func untilQuiet() async { await until("no task runs") { pending.current == 0 } }
}
