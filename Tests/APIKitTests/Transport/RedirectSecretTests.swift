import APIKit
import Foundation
import Testing

/// A redirect to another origin drops all credentials.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct RedirectSecretTests {
    private let secrets = [
        "Authorization": "Bearer t", "X-Api-Key": "k", "X-Auth-Token": "t", "Cookie": "a=b",
    ]

    /// Loads through two redirects, of which the second stays within the other origin.
    private func load(
        _ way: LoadingWay, headers: [String: String], in session: URLSession
    ) async throws -> (first: LoopbackServer.Request, others: [LoopbackServer.Request]) {
        let other = try LoopbackServer { request in
            request.path == "/over"
                ? LoopbackServer.response(302, ["Location: /end"])
                : LoopbackServer.response(200, body: "there")
        }
        let server = try LoopbackServer { _ in
            LoopbackServer.response(302, ["Location: \(other.url("/over").absoluteString)"])
        }
        var request = URLRequest(url: server.url("/start"))
        request.allHTTPHeaderFields = headers

        let (text, _) = try await way.load(request, by: session)

        #expect(text == "there")
        return (try #require(server.requests.first), other.requests)
    }

    @Test(arguments: LoadingWay.allCases)
    func anotherOriginGetsNoSecretOfTheConfiguration(way: LoadingWay) async throws {
        let session = URLSession.plain {
            $0.httpAdditionalHeaders = secrets.merging(["X-Dog": "Rex"]) { $1 }
        }

        let (first, others) = try await load(way, headers: ["X-Api-Key": "own"], in: session)

        #expect(first.header("X-Api-Key") == "own")
        #expect(first.header("Authorization") == "Bearer t")
        // On Apple platforms, the session sends the fields with empty values.
        for name in secrets.keys {
            #expect(others.allSatisfy { $0.header(name) ?? "" == "" }, "\(name)")
        }
        #expect(others.map { $0.header("X-Dog") } == ["Rex", "Rex"])
    }

    @Test(arguments: LoadingWay.allCases)
    func delegateRequestToAnotherOriginGetsNoSecretOfTheConfiguration(
        way: LoadingWay
    ) async throws {
        let session = URLSession.plain(
            delegate: RedirectDelegate { $0.url.map { URLRequest(url: $0) } }
        ) {
            $0.httpAdditionalHeaders = secrets
        }

        let (_, others) = try await load(way, headers: [:], in: session)

        for name in secrets.keys {
            #expect(others.allSatisfy { $0.header(name) ?? "" == "" }, "\(name)")
        }
    }
}
