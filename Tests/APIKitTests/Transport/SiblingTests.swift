#if canImport(FoundationNetworking)
import APIKitTesting
import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn) struct SiblingTests {
    @Test func sessionKeepsItsSibling() {
        let session = URLSession.plain()

        #expect(Sibling.of(session) === Sibling.of(session))
        #expect(Sibling.of(session) !== Sibling.of(.plain()))
    }

    /// The sibling has another number in place of these.
    @Test(arguments: [0, .infinity, .nan] as [TimeInterval])
    func sessionWithoutATimeoutKeepsItsSibling(timeout: TimeInterval) {
        let session = URLSession.plain { $0.timeoutIntervalForRequest = timeout }

        #expect(Sibling.of(session) === Sibling.of(session))
    }

    @Test func siblingHasNoCache() {
        let session = URLSession(configuration: .ephemeral)
        let sibling = Sibling.of(session).session

        #expect(session.configuration.urlCache != nil)
        #expect(sibling.configuration.urlCache == nil)
    }

    @Test(.timeLimit(.minutes(10))) func siblingIsReleasedWithItsSession() async throws {
        var session: URLSession? = .plain()
        let sibling = WeakReference(object: session.map { Sibling.of($0) })
        #expect(sibling.object != nil)
        let server = try LoopbackServer { _ in LoopbackServer.response(200) }
        for isCanceled in [false, true] {
            let call = Task { [session] in
                _ = try await session?.send(URLRequest(url: server.url("/")))
            }
            if isCanceled { call.cancel() }
            _ = await call.result
        }

        session = nil

        await until("the sibling is released") { sibling.object == nil }
    }

    #if compiler(>=6.2)
    /// The system makes a task on the queue on which it collects the body of a redirect.
    @Test func callsThatWaitForTheSystemLeaveRoomForOtherTasks() async {
        // Runs in a separate process, because the queue is that of every session of the process.
        await #expect(processExitsWith: .success) {
            let server = MockServer { _ in .text("dog") }
            let request = try URLRequest.make()
            let (gate, isRescued) = (DispatchSemaphore(value: 0), Locked(false))
            let queue = try #require(
                Reflection.property("workQueue", of: server.session) as? DispatchQueue)
            queue.async { gate.wait() }
            // Otherwise a failure of this test would be a hang.
            DispatchQueue(label: "rescue").asyncAfter(deadline: .now() + 120) {
                isRescued.set(true)
                gate.signal()
            }

            let calls = (0..<8 * ProcessInfo.processInfo.activeProcessorCount).map { _ in
                Task { try await server.session.send(request) }
            }
            for _ in 0..<100 { await Task.detached {}.value }
            let first = try #require(calls.first)
            first.cancel()
            let canceled = await first.result
            #expect(!isRescued.current)
            gate.signal()

            for call in calls.dropFirst() { _ = try await call.value }
            #expect(throws: CancellationError.self) { try canceled.get() }
            #expect(server.requests.count == calls.count - 1)
        }
    }
    #endif

    @Test func laterInstalledProtocolLoadsRequests() async throws {
        let real = try LoopbackServer { _ in LoopbackServer.response(200, body: "real") }
        let mock = MockServer { _ in .text("mocked") }
        let mocked = URLSessionConfiguration.ephemeral
        mock.install(in: mocked)
        let session = URLSession(configuration: .ephemeral)
        let protocols = session.configuration.protocolClasses
        let request = URLRequest(url: real.url("/"))

        for way in LoadingWay.allCases {
            #expect(try await way.load(request, by: session).0 == "real")
            session.configuration.protocolClasses = mocked.protocolClasses
            #expect(try await way.load(request, by: session).0 == "mocked")
            session.configuration.protocolClasses = protocols
            #expect(try await way.load(request, by: session).0 == "real")
        }
    }
}
#endif
