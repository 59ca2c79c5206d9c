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

    @Test(.timeLimit(.minutes(10))) func siblingIsReleasedWithItsSession() async {
        var session: URLSession? = .plain()
        let sibling = WeakReference(object: session.map { Sibling.of($0) })
        #expect(sibling.object != nil)

        session = nil

        await until("the sibling is released") { sibling.object == nil }
    }

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
