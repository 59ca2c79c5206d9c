#if canImport(FoundationNetworking)
import APIKitTesting
import Foundation
import Testing

@testable import APIKit

/// A server closes a kept connection as the next request arrives.
///
/// libcurl then makes a new connection for a request that the server may have processed.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct KeptConnectionTests {
    enum Kind: CaseIterable {
        case data, dataOfAStream, stream, upload, file, form

        /// Sends a request with this kind of body.
        func send(_ request: URLRequest, in session: URLSession) async throws {
            let directory = try TemporaryDirectory()
            var request = request
            switch self {
            case .data:
                request.httpBody = Data("body".utf8)
                _ = try await session.send(request)
            case .dataOfAStream:
                request.httpBody = Data("body".utf8)
                _ = try await session.stream(request).0.data()
            case .stream:
                request.httpBodyStream = InputStream(data: Data("body".utf8))
                _ = try await session.send(request)
            case .upload, .file, .form:
                let kind: UploadKind =
                    switch self {
                    case .file: .file
                    case .form: .form
                    default: .data
                    }
                _ = try await session.upload(request, from: kind.body(in: directory)) { _ in }
            }
        }
    }

    private let session = URLSession.plain()
    /// The requests that arrived whole, and the end of what arrived of a chunked one.
    private let arrived = Locked<[String]>([])
    private let secondConnection = Waiter<Void>()

    /// A server that keeps a connection after a GET, and closes it after the request that follows.
    private func server(
        beforeClosing prepare: @escaping @Sendable () -> Void = {}
    ) throws -> LoopbackServer {
        try LoopbackServer { [arrived, secondConnection] request, connection in
            if request.method == "GET" {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nkept")
                if let next = connection.nextRequest() { arrived.append(next) }
                return prepare()
            }
            if connection.hasRest(of: request) { arrived.append("\(request.method) again") }
            connection.write(LoopbackServer.response(200, body: "again"))
            secondConnection.signal()
        }
    }

    private func post(to server: LoopbackServer) -> URLRequest {
        var request = URLRequest(url: server.url("/"))
        request.httpMethod = "POST"
        return request
    }

    @Test(arguments: Kind.allCases)
    func postWithABodyIsSentOnceAndFails(kind: Kind) async throws {
        let server = try server()
        _ = try await session.send(URLRequest(url: server.url("/")))

        let error = await #expect(throws: URLError.self) {
            try await kind.send(post(to: server), in: session)
        }

        #expect(error?.code == .networkConnectionLost)
        #expect(error?.failingURL == server.url("/"))
        // The head of a stream arrives again, without the end of its body.
        if kind == .stream { try await secondConnection.wait() }
        #expect(arrived.current == ["POST"])
    }

    @Test func retryRepeatsAPostWithAKey() async throws {
        let server = try server()
        let client = APIClient.make(
            baseURL: server.url("/"), transport: session,
            interceptors: [Retry.immediate, IdempotencyKey()])
        _ = try await client.load(EchoRequest())

        let text = try await client.load(
            EchoRequest { try URLRequest(.post, "", body: .data(Data("body".utf8))) })

        #expect(text == "again")
        #expect(arrived.current == ["POST", "POST again"])
    }

    /// The server has processed the request, so the error must not permit any retry.
    @Test(arguments: [Kind.data, .stream, .file])
    func serverThatIsGoneAfterThePostIsALostConnection(kind: Kind) async throws {
        let isGone = DispatchSemaphore(value: 0)
        var server: LoopbackServer? = try server { isGone.waitForSignal() }
        let request = try post(to: #require(server))
        _ = try await session.send(URLRequest(url: #require(request.url)))
        let load = Task { [session] in try await kind.send(request, in: session) }
        await until("the request arrives") { arrived.current == ["POST"] }

        server = nil
        isGone.signal()

        let error = await #expect(throws: URLError.self) { try await load.value }
        #expect(error?.code == .networkConnectionLost)
    }

    // A stream has been read when the system would send it again.
    @Test func loginWithoutItsStreamIsRefused() async throws {
        let server = try LoopbackServer { request, connection in
            _ = connection.hasRest(of: request)
            connection.write(
                LoopbackServer.response(401, ["WWW-Authenticate: Basic realm=\"d\""], body: "who?"))
        }
        let session = URLSession.plain(delegate: ChallengeDelegate(password: "right"))
        var request = post(to: server)
        request.httpBodyStream = InputStream(data: Data("body".utf8))

        let (data, response) = try await session.send(request)

        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        #expect(String(decoding: data, as: UTF8.self) == "who?")
        #expect(server.requests.map { $0.header("Authorization") } == [nil])
    }
}

extension LoopbackConnection {
    /// Returns the method of the next request on this connection, if it arrives whole.
    fileprivate func nextRequest() -> String? {
        (try? request()).flatMap { hasRest(of: $0) ? $0.method : nil }
    }

    /// Reads the rest of a request, and returns whether it arrives before the end of the connection.
    fileprivate func hasRest(of request: LoopbackServer.Request) -> Bool {
        request.header("Transfer-Encoding") == nil || (try? chunkedBody()) != nil
    }
}
#endif
