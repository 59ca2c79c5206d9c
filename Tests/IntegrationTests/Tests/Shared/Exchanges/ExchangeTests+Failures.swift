import APIKit
import Foundation
import Testing

extension ExchangeTests {
    /// The ways in which a server fails.
    enum Breakage: CaseIterable {
        case noResponse, halfABody, noBody, halfAChunk, reset, refused, silence

        /// The code of the `URLError` that the client throws.
        var code: URLError.Code {
            switch self {
            case .refused: .cannotConnectToHost
            case .silence: .timedOut
            default: .networkConnectionLost
            }
        }

        /// The part of the body before the failure, or `nil` without a response head.
        var start: String? {
            switch self {
            case .halfABody, .halfAChunk, .reset: "hello"
            case .noBody: ""
            case .noResponse, .refused, .silence: nil
            }
        }

        var served: RawServer.Reply {
            let head = "HTTP/1.1 200 OK\r\n"
            return switch self {
            case .noResponse: .close(after: "")
            case .halfABody: .close(after: head + "Content-Length: 10\r\n\r\nhello")
            case .noBody: .close(after: head + "Content-Length: 10\r\n\r\n")
            case .halfAChunk:
                .close(after: head + "Transfer-Encoding: chunked\r\n\r\na\r\nhello")
            case .reset: .reset(after: head + "Content-Length: 10\r\n\r\nhello")
            case .refused, .silence: .silence
            }
        }

        var timeout: TimeInterval { self == .silence ? 1 : 20 }

        /// Runs a closure with a transport and a request to a real server that fails in this way.
        func run<Output>(
            with transport: any HTTPTransport, over version: HTTPVersion = .http1,
            while body: (any HTTPTransport, URLRequest) async throws -> Output
        ) async throws -> Output {
            guard self != .refused else {
                let port = try RefusingPort()
                defer { withExtendedLifetime(port) {} }
                return try await body(transport, URLRequest(url: port.url))
            }
            return try await RawServer.run(over: version, respond: { _ in served }) { server in
                var request = try server.request("/dogs")
                request.timeoutInterval = timeout
                return try await body(transport, request)
            }
        }
    }

    @Test(arguments: Backend.withoutRecording, Breakage.allCases)
    func brokenResponseFailsALoad(backend: Backend, breakage: Breakage) async throws {
        try await breakage.run(on: backend) { transport, request in
            let error = await #expect(throws: APIError.self) { try await transport.load(request) }

            #expect(error?.kind == .transport)
            #expect(error?.urlError?.code == breakage.code)
        }
    }

    // Excludes a reset, because the system decides which bytes arrive before it.
    @Test(arguments: Backend.withoutRecording, Breakage.allCases.filter { $0 != .reset })
    func streamYieldsTheBytesBeforeAFailure(backend: Backend, breakage: Breakage) async throws {
        try await breakage.run(on: backend) { transport, request in
            var received = Data()
            var hasHead = false
            let error = await #expect(throws: APIError.self) {
                let response = try await APIClient(transport: transport).stream(
                    TextRequest(), with: request)
                hasHead = true
                for try await chunk in response.value { received += chunk }
            }

            #expect(error?.urlError?.code == breakage.code)
            #expect(hasHead == (breakage.start != nil))
            #expect(received == Data((breakage.start ?? "").utf8))
        }
    }
}
