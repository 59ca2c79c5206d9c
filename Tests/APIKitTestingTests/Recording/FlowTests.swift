import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// Flows of several requests that record with one account, and replay with the secrets of another.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct FlowTests {
    private let folder: RecordingFolder
    private let service: FlowService

    init() throws {
        folder = try RecordingFolder()
        service = try FlowService()
    }

    /// Runs a flow, and returns what the client has decoded.
    private func run(
        _ login: Login, _ use: Use, account: Int, mode: Cassette.Mode
    ) async throws -> [String] {
        let cassette = Cassette(
            "users",
            matching: [
                .method, .url, .body, .ignoring("state", "code_challenge", "code_verifier"),
            ], mode: mode, options: [.checksAllMethods])
        let server = folder.server(replaying: cassette)
        var client = FlowClient(
            client: APIClient(
                baseURL: service.real.url("/"), transport: server.session), account: account)
        try await client.signIn(login)
        let facts = try await client.perform(use)
        #expect(try await server.failuresOfVerification() == [])
        return facts
    }

    /// Each way to sign in and each use; under stress, all pairs of them.
    private static let pairs: [(Login, Use)] = Login.allCases.enumerated().flatMap { index, login in
        Stress.isFull
            ? Use.allCases.map { (login, $0) } : [(login, Use.allCases[index % Use.allCases.count])]
    }

    @Test(arguments: pairs)
    func flowIsRecordedReplayedAndChecked(login: Login, use: Use) async throws {
        let recorded = try await run(login, use, account: 1, mode: .all)
        let count = service.real.requests.count

        let replayed = try await run(login, use, account: 2, mode: .none)

        #expect(!recorded.isEmpty && recorded == replayed)
        #expect(service.real.requests.count == count)
        let text = try #require(folder.text())
        for secret in service.secrets + FlowClient.secrets(of: 1) {
            #expect(!text.contains(secret), "\(secret)")
        }
        // A server has one answer to the first poll for a device, and another one later.
        guard login != .deviceCode else { return }

        _ = try await run(login, use, account: 2, mode: .check)

        #expect(folder.text() == text)
    }

    @Test func linkWithTheWordOfAPasswordIsRecordedAndReplayed() async throws {
        let real = try LoopbackServer { request in
            LoopbackServer.response(
                200, body: request.path == "/" ? "/password/reset" : "sent to \(request.path)")
        }
        let basic = Data("ada:password".utf8).base64EncodedString()
        for mode in [Cassette.Mode.all, .none] {
            let server = folder.server(replaying: Cassette("users", mode: mode))
            func text(_ url: URL) async throws -> String {
                var request = URLRequest(url: url)
                request.setValue("Basic \(basic)", forHTTPHeaderField: "Authorization")
                let (data, _) = try await server.session.data(for: request)
                return String(decoding: data, as: UTF8.self)
            }

            let link = try await text(real.url("/"))

            #expect(link == "/password/reset")
            #expect(try await text(real.url(link)) == "sent to /password/reset")
            #expect(try await server.failuresOfVerification() == [])
        }
        #expect(real.requests.count == 2)
        #expect(folder.text()?.contains(basic) == false)
    }
}

/// A real server with all endpoints of the flows.
private struct FlowService {
    let real: LoopbackServer
    let secrets: [String]

    init() throws {
        let polls = Locked(0)
        let (first, second) = ("tok-9f8e7d6c5b4a3f2e-1", "tok-9f8e7d6c5b4a3f2e-2")
        let (refresh, code) = ("ref-1a2b3c4d5e6f7a8b", "code-7c6b5a4f3e2d1c0b")
        let (csrf, device) = ("csrf-0f1e2d3c4b5a6978", "dev-5d4c3b2a19080706")
        secrets = [first, second, refresh, code, csrf, device]
        @Sendable func json(_ body: String, status: Int = 200, _ fields: [String] = []) -> String {
            LoopbackServer.response(status, ["Content-Type: application/json"] + fields, body: body)
        }
        @Sendable func token(_ value: String) -> String {
            json(
                """
                {"access_token":"\(value)","token_type":"Bearer","expires_in":3600,\
                "refresh_token":"\(refresh)","scope":"read write"}
                """)
        }
        real = try LoopbackServer { request in
            let path = request.path.prefix { $0 != "?" }
            let head = request.head
            let isRenewed = head.contains(second)
            switch (request.method, path) {
            case ("POST", "/token") where request.body.contains("device_code"):
                let isFirst = polls.withLock { count in
                    count += 1
                    return count == 1
                }
                return isFirst
                    ? json(#"{"error":"authorization_pending"}"#, status: 400) : token(first)
            case ("POST", "/token") where request.body.contains(refresh): return token(second)
            case ("POST", "/token"), ("POST", "/v1/accounts"): return token(first)
            case ("POST", "/login"):
                return LoopbackServer.response(
                    200,
                    ["Content-Type: text/plain", "Set-Cookie: session=\(first); Path=/; HttpOnly"],
                    body: "welcome")
            case ("POST", "/renew"):
                return json(
                    #"{"access_token":"\#(second)","token_type":"Bearer","expires_in":60}"#,
                    ["Set-Cookie: session=\(second); Path=/"])
            case ("GET", "/login"):
                return LoopbackServer.response(
                    200, ["Content-Type: text/html"],
                    body: #"<form><input type="hidden" name="csrf_token" value="\#(csrf)"></form>"#)
            case ("GET", "/authorize"):
                return json(#"{"redirect":"app://done?code=\#(code)","expires_in":600}"#)
            case ("POST", "/device"):
                return json(#"{"device_code":"\#(device)","interval":5,"expires_in":900}"#)
            case ("GET", "/me"):
                return json(
                    """
                    {"id":"8cf1e1a4-2b7d-4e0f-9a61-0c5d3b7e8f90","created":"2026-01-31T12:00:00Z",\
                    "avatar":"https://img.example/7.png?size=64","plan":"team","quota":4096,\
                    "renewed":\(isRenewed)}
                    """)
            case ("GET", "/vault"):
                return isRenewed
                    ? json(#"{"items":["a"]}"#) : json(#"{"error":"expired"}"#, status: 401)
            case ("GET", "/items"):
                let page = request.path.contains("cursor=2") ? 2 : 1
                return json(#"{"items":["item \#(page)"],"next":\#(page == 1 ? "2" : "null")}"#)
            case ("POST", "/graphql"):
                let name = request.body.contains("Viewer") ? "Viewer" : "Repositories"
                return json(#"{"data":{"name":"\#(name)","count":\#(name.count)}}"#)
            default: return LoopbackServer.response(404)
            }
        }
    }
}
