import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// How a protocol delivers the events of a load.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct DeliveryTests {
    @Test func workThatStartsAfterAFailureIsCanceled() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.protocolClasses = [FailingProtocol.self]

        await #expect(throws: FailingProtocol.Failure.self) {
            try await URLSession(configuration: configuration).send(.make())
        }

        for await _ in FailingProtocol.cancellation.stream {}
    }

    #if canImport(FoundationNetworking)
    // A later Foundation may hide the queue of the loading system.
    @Test func deliveryWorksWithoutTheQueueOfTheSystem() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.protocolClasses = [QueuelessProtocol.self]
        let session = URLSession(configuration: configuration)
        let tasks = Stress.count(50)

        let responses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    var responses = 0
                    for _ in 0..<20 where try await session.text("/") == "queueless" {
                        responses += 1
                    }
                    return responses
                }
            }
            return try await group.reduce(0, +)
        }

        #expect(responses == 20 * tasks)
    }

    #if compiler(>=6.2)
    @Test func responsesBlockNoTaskWhileTheLoadingThreadIsBlocked() async {
        // Runs in a separate process, because the blocked thread stops every session of the process.
        await #expect(processExitsWith: .success) {
            // More responses than the tasks have threads.
            let count = 200
            let clock = ManualClock()
            let server = MockServer(clock: clock)
            server.on(.any, reply: .text("late").delayed(.seconds(1)), times: .anyNumber)
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = nil
            configuration.protocolClasses = [BlockingProtocol.self]
            let blocked = URLSession(configuration: configuration)
            let session = server.session

            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<count { group.addTask { try await session.text("/") } }
                await clock.waitForSleepers(count)
                BlockingProtocol.onStart.withLock { $0 = { clock.advance(by: .seconds(1)) } }
                #expect(try await blocked.status(.make()) == 200)
                for try await text in group { #expect(text == "late") }
            }
        }
    }
    #endif
    #endif
}

/// A protocol that fails its load just before it starts the work.
private final class FailingProtocol: TestProtocol {
    struct Failure: Error {}

    static let cancellation = AsyncStream.makeStream(of: Never.self)

    private var delivery: Delivery?

    override func startLoading() {
        let delivery = Delivery(for: self)
        self.delivery = delivery
        delivery.fail(with: Failure())
        delivery.run {
            for await _ in AsyncStream.makeStream(of: Never.self).stream {}
            FailingProtocol.cancellation.continuation.finish()
        }
    }
}

#if canImport(FoundationNetworking)
/// A protocol that blocks the loading thread until a task has run.
private final class BlockingProtocol: TestProtocol {
    static let onStart = Locked<@Sendable () -> Void>({})

    /// Responds with status 200, or with 504 if the task has not run within a minute.
    override func startLoading() {
        Self.onStart.withLock { $0 }()
        let hasRun = DispatchSemaphore(value: 0)
        Task.detached { hasRun.signal() }
        let hasWaited = hasRun.wait(timeout: .now() + 60) == .success
        guard let response = response(hasWaited ? 200 : 504) else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocolDidFinishLoading(self)
    }
}

/// A protocol that delivers from another thread, without the queue of the system.
private final class QueuelessProtocol: TestProtocol {
    private var delivery: Delivery?

    override func startLoading() {
        if let delivery { return delivery.deliver() }
        let delivery = Delivery(for: self, to: LoadingClient(of: self, on: nil))
        self.delivery = delivery
        guard let response = response(200) else { return }
        delivery.run {
            delivery.send([.response(response)])
            delivery.send([.body(Data("queueless".utf8)), .finished])
        }
    }

    override func stopLoading() {
        delivery?.stopLoading()
    }
}
#endif
