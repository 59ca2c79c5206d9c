import APIKit
import APIKitTesting
import Foundation
import Testing

/// Each policy with a mock and with real HTTP, for whole responses and for streams.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct RedirectPolicyTests {
    /// The servers of a redirect to the same origin or to another one.
    struct Servers {
        let session: URLSession
        let start: URL
        let same: URL
        let other: URL
        /// The credentials of the requests to the targets of the redirects.
        let arrivals: @Sendable () -> [String?]

        static func mocked(delegate: (any URLSessionDelegate)? = nil) throws -> Servers {
            let server = MockServer { .text("end of \($0.url.path)") }
            server.on(.get("/start"), times: .anyNumber) { request in
                .text("moved", status: 302).header("Location", request.header("X-To") ?? "")
            }
            return Servers(
                session: server.makeSession(delegate: delegate),
                start: try .make("https://api.example.com/start"),
                same: try .make("https://api.example.com/same"),
                other: try .make("https://other.example.com/other"),
                arrivals: {
                    server.requests.filter { $0.url.path != "/start" }
                        .map { $0.header("Authorization") }
                })
        }

        static func real(delegate: (any URLSessionDelegate)? = nil) throws -> Servers {
            let respond: @Sendable (LoopbackServer.Request) -> String = { request in
                request.path == "/start"
                    ? LoopbackServer.response(
                        302, ["Location: \(request.header("X-To") ?? "")"], body: "moved")
                    : LoopbackServer.response(200, body: "end of \(request.path)")
            }
            let (server, other) = try (
                LoopbackServer(respond: respond), LoopbackServer(respond: respond)
            )
            return Servers(
                session: .plain(delegate: delegate), start: server.url("/start"),
                same: server.url("/same"), other: other.url("/other"),
                arrivals: {
                    (server.requests + other.requests).filter { $0.path != "/start" }
                        .map { $0.header("Authorization") }
                })
        }

        func request(to target: URL) -> URLRequest {
            var request = URLRequest(url: start)
            request.setValue(target.absoluteString, forHTTPHeaderField: "X-To")
            request.setValue("Bearer t", forHTTPHeaderField: "Authorization")
            return request
        }
    }

    enum Network: CaseIterable {
        case mocked, real

        func servers(delegate: (any URLSessionDelegate)? = nil) throws -> Servers {
            switch self {
            case .mocked: try .mocked(delegate: delegate)
            case .real: try .real(delegate: delegate)
            }
        }
    }

    @Test(arguments: Network.allCases, LoadingWay.allCases)
    func followPolicySendsCredentialsOnlyToSameOrigin(
        network: Network, way: LoadingWay
    ) async throws {
        let servers = try network.servers()
        let client = servers.session.redirecting(.follow)

        let same = try await way.load(servers.request(to: servers.same), by: client)
        let other = try await way.load(servers.request(to: servers.other), by: client)

        #expect([same.0, other.0] == ["end of /same", "end of /other"])
        #expect([same.1.url, other.1.url] == [servers.same, servers.other])
        #expect(servers.arrivals() == ["Bearer t", nil])
    }

    @Test(arguments: Network.allCases, LoadingWay.allCases)
    func sameOriginPolicyFollowsOnlyRedirectsToSameOrigin(network: Network, way: LoadingWay)
        async throws
    {
        let servers = try network.servers()
        let client = servers.session.redirecting(.sameOrigin)

        let same = try await way.load(servers.request(to: servers.same), by: client)
        let other = try await way.load(servers.request(to: servers.other), by: client)

        #expect([same.0, other.0] == ["end of /same", "moved"])
        #expect(same.1.statusCode == 200)
        #expect(other.1.statusCode == 302)
        #expect(servers.arrivals() == ["Bearer t"])
    }

    @Test(arguments: Network.allCases, LoadingWay.allCases)
    func neverPolicyFollowsNothing(network: Network, way: LoadingWay) async throws {
        let servers = try network.servers()
        let client = servers.session.redirecting(.never)

        let (text, head) = try await way.load(servers.request(to: servers.same), by: client)

        #expect(text == "moved")
        #expect(head.statusCode == 302)
        #expect(head.value(forHTTPHeaderField: "Location") == servers.same.absoluteString)
        #expect(servers.arrivals().isEmpty)
    }

    @Test(arguments: Network.allCases, LoadingWay.allCases)
    func delegateOfSessionOverridesPolicy(network: Network, way: LoadingWay) async throws {
        let proposals = Locked<[URL?]>([])
        let delegate = RedirectDelegate { request in
            proposals.append(request.url)
            return nil
        }
        let servers = try network.servers(delegate: delegate)

        for policy in [RedirectPolicy.follow, .sameOrigin, .never] {
            let (text, head) = try await way.load(
                servers.request(to: servers.same), by: servers.session.redirecting(policy))
            #expect(text == "moved")
            #expect(head.statusCode == 302)
        }

        #expect(proposals.current == [servers.same, servers.same])
    }
}
