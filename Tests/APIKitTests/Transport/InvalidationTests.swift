#if canImport(FoundationNetworking)
import APIKit
import APIKitTesting
import Foundation
import Testing

/// Calls in a session that is invalidated.
///
/// If an invalidated session is asked for a task, the system ends the process. On Linux a sibling makes
/// the tasks.
@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct InvalidationTests {
    private let server = MockServer.current

    enum Way: CaseIterable {
        case invalidateAndCancel, finishTasksAndInvalidate

        func invalidate(_ session: URLSession) {
            switch self {
            case .invalidateAndCancel: session.invalidateAndCancel()
            case .finishTasksAndInvalidate: session.finishTasksAndInvalidate()
            }
        }
    }

    @Test(arguments: Way.allCases)
    func callThatWaitsForARetryContinues(way: Way) async throws {
        let clock = ManualClock()
        server.on(.get("/v1/echo"), reply: .status(503), .text("echo"), times: 2)
        let client = APIClient.make(
            transport: server.session, interceptors: [Retry(clock: clock, jitter: { 1 })])
        let call = Task { try await client.load(EchoRequest(), with: ()) }
        await clock.waitForSleepers()

        way.invalidate(server.session)
        await clock.advanceToNextDeadline()

        #expect(try await call.value == "echo")
    }

    @Test(arguments: Way.allCases)
    func callUnderWayReceivesTheRestOfItsBody(way: Way) async throws {
        let body = HeldBody()
        server.on(.get("/v1/dogs"), reply: .stream(body.chunks))
        let stream = try await server.session.stream(.make()).0

        way.invalidate(server.session)
        body.send("dogs")
        body.finish()

        #expect(try await stream.data() == Data("dogs".utf8))
    }

    @Test(arguments: Way.allCases, LoadingWay.allCases)
    func laterCallLoads(way: Way, loading: LoadingWay) async throws {
        server.on(.get("/v1/dogs"), reply: .text("dogs"))

        way.invalidate(server.session)

        #expect(try await loading.load(.make(), by: server.session).0 == "dogs")
    }
}
#endif
