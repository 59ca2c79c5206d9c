import APIKitTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct MockRaceTests {
    @Test(
        .timeLimit(.minutes(10)), arguments: TransportUnderTest.allCases,
        CancellationRace.Way.allCases)
    func canceledLoadOfAMockCompletesOnce(
        kind: TransportUnderTest, way: CancellationRace.Way
    ) async throws {
        let server = MockServer()
        server.on(.get("/plain"), reply: .text("hello"))
        server.on(.get("/redirect"), reply: .redirect(to: "/plain"))
        server.on(.get("/slow")) { _ in
            await Task.yield()
            return .stream([Data("hel".utf8), Data("lo".utf8)])
        }
        let configuration = URLSessionConfiguration.ephemeral
        server.install(in: configuration)
        configuration.urlCache = kind.cache
        let delegate = ChallengeDelegate { _ in (.performDefaultHandling, nil) }
        let session = URLSession(
            configuration: configuration, delegate: delegate, delegateQueue: nil)
        let requests = try ["/plain", "/redirect", "/slow"].map { path in
            URLRequest(url: try #require(URL(string: "http://127.0.0.1:8001\(path)")))
        }

        await CancellationRace.run { number in
            try await way.load(requests[number % requests.count], by: session)
        }

        session.finishTasksAndInvalidate()
        for await _ in delegate.invalidation {}
        withExtendedLifetime(server) {}
    }
}
