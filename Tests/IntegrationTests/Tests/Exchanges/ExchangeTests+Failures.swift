import APIKit
import APIKitTesting
import FlyingSocks
import Foundation
import Testing

extension ExchangeTests {
    /// The ways of a server to fail, and of a mock to play them.
    enum Breakage: CaseIterable {
        case noAnswer, halfABody, nothingOfABody, halfAChunk, reset, refused, silence

        /// What the client is told.
        var code: URLError.Code {
            switch self {
            case .refused: .cannotConnectToHost
            case .silence: .timedOut
            default: .networkConnectionLost
            }
        }

        /// How much of the body comes before the failure, if there is a head.
        var start: String? {
            switch self {
            case .halfABody, .halfAChunk, .reset: "hello"
            case .nothingOfABody: ""
            case .noAnswer, .refused, .silence: nil
            }
        }

        var mocked: MockResponse {
            switch self {
            case .noAnswer: .failure(.networkConnectionLost)
            case .halfABody, .reset: .text("hello rex!").truncated(after: 5)
            case .nothingOfABody: .text("hello rex!").truncated(after: 0)
            case .halfAChunk: .stream([Data("hello rex!".utf8)]).truncated(after: 5)
            case .refused: .failure(.cannotConnectToHost)
            case .silence: .never
            }
        }

        var served: RawServer.Reply {
            let head = "HTTP/1.1 200 OK\r\n"
            return switch self {
            case .noAnswer: .hangUp(after: "")
            case .halfABody: .hangUp(after: head + "Content-Length: 10\r\n\r\nhello")
            case .nothingOfABody: .hangUp(after: head + "Content-Length: 10\r\n\r\n")
            case .halfAChunk:
                .hangUp(after: head + "Transfer-Encoding: chunked\r\n\r\na\r\nhello")
            case .reset: .reset(after: head + "Content-Length: 10\r\n\r\nhello")
            case .refused, .silence: .silence
            }
        }

        private var timeout: TimeInterval { self == .silence ? 1 : 20 }

        /// Runs a server that fails, or is gone already.
        func run(
            on backend: Backend, while body: (URLSession, URLRequest) async throws -> Void
        ) async throws {
            switch backend {
            case .mock:
                let server = MockServer()
                server.on(.get("/dogs"), reply: mocked)
                let url = try #require(URL(string: "http://127.0.0.1:8001/dogs"))
                try await body(server.session, URLRequest(url: url, timeoutInterval: timeout))
                server.verify()
            case .real where self == .refused:
                let port = try RefusingPort()
                try await body(.make(), URLRequest(url: port.url))
                withExtendedLifetime(port) {}
            case .real:
                try await RawServer.run(replying: { _ in served }) { server in
                    var request = try server.request("/dogs")
                    request.timeoutInterval = timeout
                    try await body(.make(), request)
                }
            }
        }
    }

    @Test(arguments: Backend.allCases, Breakage.allCases)
    func tellsHowALoadFailed(backend: Backend, breakage: Breakage) async throws {
        try await breakage.run(on: backend) { session, request in
            let error = await #expect(throws: APIError.self) { try await session.load(request) }

            #expect(error?.kind == .transport)
            #expect((error?.underlying as? URLError)?.code == breakage.code)
        }
    }

    // What a reset leaves of the bytes before it is for the system to say.
    @Test(arguments: Backend.allCases, Breakage.allCases.filter { $0 != .reset })
    func givesWhatThereIsOfAStreamThatFails(backend: Backend, breakage: Breakage) async throws {
        try await breakage.run(on: backend) { session, request in
            var received = Data()
            var hasHead = false
            let error = await #expect(throws: APIError.self) {
                let response = try await APIClient(transport: session).stream(
                    TextRequest(), with: request)
                hasHead = true
                for try await chunk in response.value { received += chunk }
            }

            #expect((error?.underlying as? URLError)?.code == breakage.code)
            #expect(hasHead == (breakage.start != nil))
            #expect(received == Data((breakage.start ?? "").utf8))
        }
    }
}
