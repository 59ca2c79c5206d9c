import APIKit
import APIKitTesting
import AsyncHTTPClient
import AsyncHTTPClientTransport
import Foundation
import InMemoryLogging
import InMemoryTracing
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Testing
import Tracing

/// What a server needs of the transport.
@Suite(.mockServer, .timeLimit(.minutes(10))) struct HTTPClientForServersTests {
    private let server = MockServer.current

    @Test func serverThatRequiresACertificateOfTheClientHasItsOwnError() async throws {
        let listener = try await Self.mutualServer()
        let port = try #require(listener.localAddress?.port)
        let url = try #require(URL(string: "https://127.0.0.1:\(port)/dogs"))

        let error = await #expect(throws: URLError.self) {
            try await TransportUnderTest.makeTrusting().send(URLRequest(url: url))
        }

        #expect(error?.code == .clientCertificateRequired)
        try await listener.close()
    }

    /// Starts a server that requires a certificate of the client, and sends an alert to one without.
    ///
    /// Python, which serves the other tests of TLS, closes the connection without an alert.
    private static func mutualServer() async throws -> any Channel {
        let file = TLSServer.authority.deletingLastPathComponent().appending(path: "valid.pem").path
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(file).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: file, format: .pem)))
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .file(TLSServer.authority.path)
        let context = try NIOSSLContext(configuration: configuration)
        return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = NIOSSLServerHandler(context: context)
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    @Test func bodyAboveTheLimitOfTheTransportFailsTheRequest() async throws {
        var transport = HTTPClientTransport()
        transport.maxBodyBytes = 10
        server.on(.get("/dogs"), reply: .text("0123456789"), .text("0123456789A"))
        try await server.listening { url in
            let request = URLRequest(url: url.appending(path: "dogs"))
            let (body, _) = try await transport.send(request)
            #expect(body.count == 10)

            let error = await #expect(throws: APIError.self) { try await transport.send(request) }

            #expect(error?.kind == .bodyTooLarge(limit: 10))
            #expect(error?.statusCode == 200)
            let stream = try await transport.stream(request).0
            let whole = try await stream.data()
            #expect(whole.count == 11)
        }
    }

    @Test func bodyDecodedToMoreThan25TimesItsSizeFailsTheRequest() async throws {
        let transport = HTTPClientTransport()
        // "hello", and 1,000 zeros.
        let bodies = [
            "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA==", "H4sIAAAAAAACA2NgGAWjYBQMdwAAgBcLBugDAAA=",
        ].compactMap { Data(base64Encoded: $0) }
        for body in bodies {
            server.on(.get("/\(body.count)"), reply: .data(body).header("Content-Encoding", "gzip"))
        }
        try await server.listening { url in
            let small = try await transport.send(URLRequest(url: url.appending(path: "25"))).0
            #expect(small == Data("hello".utf8))

            let error = await #expect(throws: URLError.self) {
                try await transport.send(URLRequest(url: url.appending(path: "29")))
            }

            #expect(error?.code == .cannotDecodeContentData)
        }
    }

    /// A request that waits for a connection has not been sent, so `Retry` may repeat it.
    @Test func requestThatFindsThePoolFullCannotConnect() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
        configuration.timeout.connect = .seconds(1)
        let transport = HTTPClientTransport(configuration: configuration)
        server.on(.get("/slow"), reply: .never)
        try await server.listening { url in
            let request = URLRequest(url: url.appending(path: "slow"))
            let first = Task { try await transport.send(request) }
            _ = try await server.nextRequest()

            let error = await #expect(throws: URLError.self) { try await transport.send(request) }

            #expect(error?.code == .cannotConnectToHost)
            #expect(server.requests.count == 1)
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
        }
    }

    @Test func spansOmitTheQueryOfTheURL() async throws {
        let tracer = InMemoryTracer()
        var configuration = HTTPClient.Configuration()
        configuration.tracing.tracer = tracer
        let transport = HTTPClientTransport(configuration: configuration)
        server.on(.get("/dogs"), reply: .text("Rex"))
        try await server.listening { url in
            let request = URLRequest(
                url: url.appending(path: "dogs").appending(queryItems: [
                    .init(name: "key", value: "s3cr3t")
                ]))

            try await tracer.withSpan("incoming") { _ in _ = try await transport.send(request) }
        }

        let spans = tracer.finishedSpans
        let call = try #require(spans.first)
        var attributes: [String: SpanAttribute] = [:]
        call.attributes.forEach { attributes[$0] = $1 }
        #expect(spans.map(\.operationName) == ["GET", "incoming"])
        #expect(call.parentSpanID == spans.last?.spanID)
        #expect(attributes["url.path"] == .string("/dogs"))
        #expect(!"\(attributes)".contains("s3cr3t"))
        let field = server.requests.first?.header(InMemoryTracer.traceIDKey)
        #expect(field == call.traceID)
    }

    @Test func clientLogsItsConnections() async throws {
        let log = InMemoryLogHandler()
        var logger = Logger(label: "http") { _ in log }
        logger.logLevel = .trace
        server.on(.get("/dogs"), reply: .text("Rex"), times: 2)
        let httpClient = HTTPClient()
        try await server.listening { url in
            for transport in [
                HTTPClientTransport(logger: logger),
                HTTPClientTransport(httpClient, logger: logger),
            ] {
                let count = log.entries.count
                _ = try await transport.send(URLRequest(url: url.appending(path: "dogs")))
                #expect(log.entries.count > count)
            }
            try await httpClient.shutdown()
        }
    }
}
