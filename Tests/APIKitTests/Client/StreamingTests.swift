import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct StreamingTests {
    private let server = MockServer.current

    private func client(_ interceptors: any APIInterceptor...) -> APIClient {
        .make(transport: server.session, interceptors: interceptors)
    }

    @Test func streamThatHasFailedBeforeItIsReturnedThrowsErrorOfItsCall() async throws {
        let transport = StreamTransport {
            let stream = ByteStream(Data("x".utf8))
            stream.cancel(throwing: URLError(.networkConnectionLost))
            return stream
        }

        let response = try await APIClient.make(transport: transport).stream(EchoRequest())

        let error = await #expect(throws: APIError.self) { try await response.value.data() }
        #expect(error?.request != nil)
        #expect((error?.underlying as? URLError)?.code == .networkConnectionLost)
    }

    @Test func brokenRefusalThrowsAPIError() async throws {
        server.on(.get("/v1/echo"), reply: .text("no", status: 404).truncated(after: 1))

        await expectError(.transport) { try await client().stream(EchoRequest()) }
    }

    @Test func transportWithoutStreamingReturnsOneChunk() async throws {
        let transport = StubTransport { _ in (Data("whole".utf8), try HTTPURLResponse.make()) }

        let response = try await APIClient.make(transport: transport).stream(EchoRequest())

        #expect(try await response.value.text() == "whole")
    }

    @Test func nonHTTPResponseIsAnError() async throws {
        let transport = StubTransport { request in
            (
                Data(),
                URLResponse(
                    url: try #require(request.url), mimeType: nil, expectedContentLength: 0,
                    textEncodingName: nil)
            )
        }

        await expectError(.notHTTP) {
            try await APIClient.make(transport: transport).stream(EchoRequest())
        }
    }
}

/// A transport that returns a stream of the test's.
private struct StreamTransport: HTTPTransport {
    let body: @Sendable () -> ByteStream

    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        throw URLError(.unsupportedURL)
    }

    func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        (body(), try HTTPURLResponse.make(200))
    }
}
