#if canImport(FoundationNetworking)
import APIKitTesting
import Foundation
import Testing

@testable import APIKit

@Suite struct SiblingTests {
    @Test func sessionKeepsItsSibling() {
        let session = URLSession.plain()

        #expect(Sibling.of(session) === Sibling.of(session))
        #expect(Sibling.of(session) !== Sibling.of(.plain()))
    }

    @Test func siblingHasNoCache() {
        let sibling = Sibling.of(URLSession(configuration: .ephemeral)).session

        #expect(sibling.configuration.urlCache == nil)
    }

    @Test(.timeLimit(.minutes(10))) func siblingIsReleasedWithItsSession() {
        var sessions = (0..<50).map { _ in URLSession.plain() }
        let siblings = sessions.map { WeakReference(object: Sibling.of($0)) }
        #expect(siblings.allSatisfy { $0.object != nil })

        sessions = []
        // The table looks for released sessions when it has doubled.
        for _ in 0..<10_000 where siblings.contains(where: { $0.object != nil }) {
            sessions.append(.plain())
            _ = sessions.last.map(Sibling.of)
        }

        #expect(siblings.allSatisfy { $0.object == nil })
    }

    @Test func protocolThatIsInstalledLaterLoads() async throws {
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
