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

        /// What the server sends before the failure, as text.
        var sent: String {
            // Without a type, CFNetwork holds back the head until it has 512 bytes to guess it from.
            let head = "HTTP/1.1 200 OK\r\nContent-Type: image/x-dog\r\n"
            return switch self {
            case .noResponse, .refused, .silence: ""
            case .halfABody, .reset: head + "Content-Length: 10\r\n\r\nhello"
            case .noBody: head + "Content-Length: 10\r\n\r\n"
            case .halfAChunk: head + "Transfer-Encoding: chunked\r\n\r\na\r\nhello"
            }
        }

        // On a busy machine, a handshake takes longer than a minute. On Linux, a wait keeps a processor busy.
        var timeout: TimeInterval { self == .silence ? 0.1 : 600 }
    }

    @Test(
        arguments: Backend.all(but: [.recording: "It has no load that fails."]), Breakage.allCases)
    func brokenResponseFailsALoad(backend: Backend, breakage: Breakage) async throws {
        try await breakage.run(on: backend) { transport, request in
            let error = await #expect(throws: APIError.self) { try await transport.load(request) }

            #expect(error?.kind == .transport)
            #expect(error?.urlError?.code == breakage.code)
        }
    }

    // Excludes a reset, because the system decides which bytes arrive before it. A silence ends before the
    // head too, and takes a second in which a session on Linux keeps a processor busy.
    @Test(
        arguments: Backend.all(but: [.recording: "It has no load that fails."]),
        Breakage.allCases.filter { ![.reset, .silence].contains($0) })
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
            #expect((error?.response?.statusCode == 200) == hasHead)
            #expect(received == Data((breakage.start ?? "").utf8))
        }
    }
}
