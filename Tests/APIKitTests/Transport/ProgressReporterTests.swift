import APIKitTesting
import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct ProgressReporterTests {
    enum Transfer: CaseIterable { case upload, download }
    enum End: CaseIterable { case failure, cancellation }

    /// An object that a handler of progress retains.
    private final class Token: Sendable {}

    private let server = MockServer.current
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A screen that shows a failure would go back to the progress.
    @Test(arguments: Transfer.allCases, End.allCases)
    func noStepFollowsTheError(transfer: Transfer, end: End) async throws {
        server.on(.any, times: .anyNumber) { _ in Self.response(transfer, end) }
        for round in 0..<Stress.count(100) {
            let client = APIClient.make(round.isMultiple(of: 2) ? server.session : server)
            let (started, lateSteps) = (Waiter<Void>(), Locked(0))
            let (call, token) = start(transfer, by: client, started, lateSteps)

            if end == .cancellation {
                try await started.wait()
                call.cancel()
            }
            await #expect(throws: (any Error).self) { try await call.value }

            await until("the handler is released") { token.object == nil }
            #expect(lateSteps.current == 0)
        }
    }

    @Test func errorWaitsForTheStepUnderWayAndDropsTheOthers() async throws {
        let (started, events) = (Waiter<Void>(), Locked<[String]>([]))
        let handler: ProgressHandler = { step in
            events.append("start \(step.completedBytes)")
            started.signal()
            while !Task.isCancelled { Thread.sleep(forTimeInterval: 0.001) }
            // If the error did not wait, it would be thrown now.
            Thread.sleep(forTimeInterval: 0.05)
            events.append("end \(step.completedBytes)")
        }

        await #expect(throws: URLError.self) {
            try await ProgressReporter.run(reportingTo: handler) { report in
                for count in 1...3 {
                    report(TransferProgress(completedBytes: count, totalBytes: nil))
                }
                try await started.wait()
                throw URLError(.networkConnectionLost)
            }
        }

        #expect(events.current == ["start 1", "end 1"])
    }

    /// Starts a transfer that counts the steps after its end, and returns the token of its handler.
    private func start(
        _ transfer: Transfer, by client: APIClient, _ started: Waiter<Void>,
        _ lateSteps: Locked<Int>
    ) -> (Task<Void, any Error>, WeakReference<Token>) {
        let (token, hasEnded) = (Token(), Locked(false))
        let call = Task {
            defer { hasEnded.set(true) }
            try await send(transfer, by: client) { _ in
                withExtendedLifetime(token) {
                    if hasEnded.current { lateSteps.increment() }
                    started.signal()
                }
            }
        }
        return (call, WeakReference(object: token))
    }

    private func send(
        _ transfer: Transfer, by client: APIClient, _ handler: @escaping ProgressHandler
    ) async throws {
        switch transfer {
        case .upload:
            let request = EchoRequest { try URLRequest(.post, "echo") }
            try await client.upload(request, from: .data(Data(count: 6_000_000)), progress: handler)
        case .download:
            try await client.download(EchoRequest(), to: directory.url("dog"), progress: handler)
        }
    }

    private static func response(_ transfer: Transfer, _ end: End) -> MockResponse {
        let chunks = Array(repeating: Data("x".utf8), count: 100)
        return switch (transfer, end) {
        case (.upload, .failure): .status(503)
        case (.upload, .cancellation): .never
        case (.download, .failure): .stream(chunks).header("Content-Length", "1000")
        case (.download, .cancellation):
            .stream(
                AsyncStream<Data> { continuation in
                    for chunk in chunks { continuation.yield(chunk) }
                })
        }
    }
}
