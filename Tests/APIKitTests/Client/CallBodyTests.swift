import APIKit
import APIKitTesting
import Foundation
import Testing

/// The body of an upload, as a part of its call.
@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct CallBodyTests {
    private let server = MockServer.current
    private let bodies = Locked<[Data?]>([])

    /// An interceptor that records the body of each attempt.
    private var recorder: CallInterceptor {
        CallInterceptor { [bodies] call in bodies.append(try? call.body?.data()) }
    }

    @Test(arguments: UploadTests.Transport.allCases)
    func getThatContinuesAnUploadHasNoBody(transport: UploadTests.Transport) async throws {
        server.on(.post("/v1/echo"), reply: .redirect(to: "/v1/echo/7", status: 303))
        server.on(.get("/v1/echo/7"), reply: .status(503), .text("done"))
        let client = APIClient.make(
            transport == .session ? server.session : server, Retry.immediate, recorder)
        let request = EchoRequest { try URLRequest(.post, "echo") }

        #expect(try await client.upload(request, from: .data(Data("Rex".utf8))) == "done")

        #expect(bodies.current == [Data("Rex".utf8), nil])
        #expect(server.requests.map(\.body) == [Data("Rex".utf8), Data(), Data()])
    }

    @Test func bodyOfALoadIsInItsRequest() async throws {
        server.on(.post("/v1/echo"), reply: .text("done"))
        let request = EchoRequest {
            try URLRequest(.post, "echo", body: .data(Data("Rex".utf8)))
        }

        _ = try await APIClient.make(server, recorder).load(request)

        #expect(bodies.current == [nil])
    }

    /// A transport over another library, which asks the policy about a 307.
    private struct RedirectedTransport: HTTPTransport {
        func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
            let redirect = try HTTPURLResponse.make(307, headers: ["Location": "/v2"])
            let next = try RedirectPolicy.follow.request(
                after: redirect, to: request, redirectCount: 0)
            return (Data((next == nil ? "final" : "followed").utf8), redirect)
        }

        func upload(
            _ request: URLRequest, from body: HTTPBody,
            progress: @escaping @Sendable (TransferProgress) -> Void
        ) async throws -> (Data, URLResponse) { try await send(request) }
    }

    @Test(arguments: [
        (HTTPBody.data(Data("Rex".utf8)), "followed"),
        (.stream(AsyncStream(unfolding: { nil })), "final"),
    ])
    func policyFollowsARedirectIfTheBodyIsRepeatable(body: HTTPBody, text: String) async throws {
        let client = APIClient.make(RedirectedTransport())

        let output = try await client.upload(DataRequest.anyStatus(.post), from: body)

        #expect(String(decoding: output, as: UTF8.self) == text)
    }
}
