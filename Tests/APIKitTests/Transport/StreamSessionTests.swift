import APIKit
import APIKitTesting
import Foundation
import Testing

/// The settings of a session apply to its streams, even if a sibling session loads them.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct StreamSessionTests {
    enum Network: CaseIterable { case mocked, real }

    /// A mock or real server, and the sessions that reach it.
    private struct Server {
        let url: URL
        let session: (URLSessionConfiguration, (any URLSessionDelegate)?) -> URLSession
        let headers: (String) -> [String?]

        init(_ network: Network, setting cookie: String? = nil) throws {
            switch network {
            case .mocked:
                let server = MockServer { _ in
                    let response = MockResponse.text("answer")
                    return cookie.map { response.header("Set-Cookie", $0) } ?? response
                }
                url = try .make("https://api.example.com/a")
                session = { server.makeSession(configuration: $0, delegate: $1) }
                headers = { name in server.requests.map { $0.header(name) } }
            case .real:
                let server = try LoopbackServer { _ in
                    LoopbackServer.response(
                        200, cookie.map { ["Set-Cookie: \($0)"] } ?? [], body: "answer")
                }
                url = server.url("/a")
                session = { URLSession(configuration: $0, delegate: $1, delegateQueue: nil) }
                headers = { name in server.requests.map { $0.header(name) } }
            }
        }
    }

    private let configuration = URLSessionConfiguration.ephemeral

    @Test(arguments: Network.allCases)
    func headersOfSessionAreSent(network: Network) async throws {
        let server = try Server(network)
        configuration.httpAdditionalHeaders = ["X-App": "dogs"]
        let session = server.session(configuration, nil)

        let (text, _) = try await LoadingWay.stream.load(URLRequest(url: server.url), by: session)

        #expect(text == "answer")
        #expect(server.headers("X-App") == ["dogs"])
    }

    @Test(arguments: Network.allCases)
    func cookiesOfSessionAreShared(network: Network) async throws {
        let server = try Server(network, setting: "sid=42; Path=/")
        let session = server.session(configuration, nil)

        for way in [LoadingWay.stream, .whole, .stream] {
            _ = try await way.load(URLRequest(url: server.url), by: session)
        }

        #expect(server.headers("Cookie") == [nil, "sid=42", "sid=42"])
    }

    @Test func delegateOfSessionReceivesNoEvents() async throws {
        let server = try Server(.real)
        let delegate = EventDelegate()
        let session = server.session(configuration, delegate)

        let (text, _) = try await LoadingWay.stream.load(URLRequest(url: server.url), by: session)
        session.finishTasksAndInvalidate()
        try await delegate.invalidated.wait()

        #expect(text == "answer")
        #expect(delegate.events.current.isEmpty)
    }
}
