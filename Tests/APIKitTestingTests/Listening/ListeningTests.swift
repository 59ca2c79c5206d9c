import Foundation
import Testing

@testable import APIKit
@testable import APIKitTesting

/// The life of a port and of its connections.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct ListeningTests {
    private let server = MockServer()

    @Test func clientThatGoesEndsItsRequest() async throws {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        server.on(.any) { _ in
            defer { continuation.finish() }
            try await Task.sleep(for: .seconds(3_600))
            return .status(200)
        }
        try await server.listening { url in
            let client = PortClientUnderTest(url)
            client.send("GET / HTTP/1.1")
            _ = try await server.nextRequest()
            client.socket.resetOnClose()
            client.close()
            for await _ in ends {}
        }
    }

    @Test func clientThatGoesEndsAStreamWithItsNextChunks() async throws {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        let chunks = AsyncStream {
            Data(repeating: 1, count: 100_000)
        } onCancel: {
            continuation.finish()
        }
        server.on(.any, reply: .stream(chunks))
        try await server.listening { url in
            let client = PortClientUnderTest(url)
            client.send("GET / HTTP/1.1")
            _ = await client.text(until: "\r\n\r\n")
            client.close()
            for await _ in ends {}
        }
    }

    @Test func clientThatHasSentAllReceivesItsResponse() async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(.get("/now"), reply: .text("now"))
        server.on(.get("/later"), reply: .text("later").delayed(.seconds(9)))
        for path in ["now", "later"] {
            try await server.withClient { client, _ in
                client.send("GET /\(path) HTTP/1.1")
                client.socket.shutdown(Int32(SHUT_WR))
                if path == "later" { await clock.advanceToNextDeadline() }
                let received = await client.text()
                #expect(received.hasSuffix(path))
            }
        }
    }

    /// Listens below the numbers that systems give to other sockets, so that none takes the port.
    private func listenOnAReservedPort(of server: MockServer) async throws -> ListeningPort {
        for number in (10_000..<32_768).shuffled().prefix(20) {
            let port = await Result.of { try await server.listen(port: number) }
            if case .success(let port) = port { return port }
        }
        return try await server.listen(port: 32_767)
    }

    @Test(arguments: [false, true])
    func stopEndsRequestsInProgress(isPipelined: Bool) async throws {
        server.on(.any, reply: .never)
        let port = try await listenOnAReservedPort(of: server)
        let client = PortClientUnderTest(port.url)
        client.send("GET / HTTP/1.1")
        if isPipelined { client.send("GET / HTTP/1.1") }
        _ = try await server.nextRequest()

        await port.stop()

        let received = await client.text()
        #expect(received == "")
        client.close()
        let number = try #require(port.url.port)
        let again = try await server.listen(port: number)
        #expect(again.url == port.url)
        await again.stop()
    }

    @Test func portInUseIsAnError() async throws {
        try await server.listening { url in
            let number = try #require(url.port)
            let error = await #expect(throws: TestFailure.self) {
                try await server.listen(port: number)
            }
            let text = "Port \(number) of 127.0.0.1 cannot be opened: Address already in use."
            #expect(error?.message.hasPrefix(text) == true)
        }
        await #expect(throws: TestFailure.self) { try await server.listen(port: 65_536) }
    }

    @Test func failureOfASandboxedAppNamesItsEntitlement() {
        let failure = ListeningPort.failure(of: 80, POSIXError(.EPERM))
        #expect(failure.message.contains("com.apple.security.network.server"))
    }

    @Test func releasedServerEndsRequestsInProgressAndStopsListening() async throws {
        var server: MockServer? = MockServer()
        server?.on(.any, reply: .never)
        let url = try await listenOnAReservedPort(of: #require(server)).url
        let client = PortClientUnderTest(url)
        client.send("GET / HTTP/1.1")
        _ = try await server?.nextRequest()
        server = nil
        let received = await client.text()
        #expect(received == "")
        client.close()

        let late = PortClientUnderTest(url)
        late.send("GET / HTTP/1.1")
        let refused = await late.text()
        #expect(refused == "")
        late.close()
    }

    @Test func requestThatStopEndsMayReleaseTheServer() async throws {
        let server = Locked<MockServer?>(MockServer())
        server.withLock { $0 }?.on(.any) { _ in
            try await withTaskCancellationHandler {
                try await Task.sleep(for: .seconds(3_600))
            } onCancel: {
                server.withLock { $0 = nil }
            }
            return .status(200)
        }
        let port = try #require(try await server.withLock { $0 }?.listen())
        let client = PortClientUnderTest(port.url)
        client.send("GET / HTTP/1.1")
        _ = try await server.withLock { $0 }?.nextRequest()

        await port.stop()

        let received = await client.text()
        #expect(received == "")
        client.close()
    }

    @Test func manyCyclesLeaveNoDescriptor() async throws {
        server.on(.any, reply: .never, times: .anyNumber)
        var port = try await server.listen()
        let (count, cycles) = (try openConnections, Stress.isFull ? 100 : 20)
        for _ in 0..<cycles {
            let clients = (0..<10).map { _ in PortClientUnderTest(port.url) }
            for client in clients { client.send("GET / HTTP/1.1") }
            // Half of them are open when the port stops.
            for _ in 0..<5 { _ = try await server.nextRequest() }
            await port.stop()
            for client in clients { client.close() }
            port = try await server.listen()
        }
        await port.stop()
        // Other tests open connections at the same time.
        #expect(try openConnections - count < cycles * 4)
    }

    private var openConnections: Int {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count { name in
                var (address, length) = (sockaddr(), socklen_t(MemoryLayout<sockaddr>.size))
                return getsockname(Int32(name) ?? -1, &address, &length) == 0
                    && address.sa_family == AF_INET
            }
        }
    }

    // Only these systems let a process start another one.
    #if os(macOS) || os(Linux)

    /// Runs curl with a URL, and returns what it writes.
    private func curl(_ arguments: String..., url: URL) async throws -> String {
        let options = (["--silent", "--max-time", "600"] + arguments).joined(separator: " ")
        let output = try await Shell.run("curl \(options) '\(url.absoluteString)'")
        return String(decoding: output, as: UTF8.self)
    }

    @Test func recordingIsMadeAndReplayedThroughThePort() async throws {
        let folder = try RecordingFolder()
        let real = MockServer { request in
            .text("real \(request.path)").header("X-Real", "1").cookie("session", "s3cret")
        }
        func run(_ mode: Cassette.Mode, _ origin: URL) async throws -> String {
            let server = folder.server(replaying: folder.cassette(mode: mode))
            defer { server.verify() }
            return try await server.listening(as: origin) { url in
                try await curl("-i", url: url.appending(path: "dogs"))
            }
        }
        try await real.listening { origin in
            let recorded = try await run(.all, origin)
            #expect(recorded.contains("X-Real: 1\r\n"))
            #expect(recorded.hasSuffix("\r\n\r\nreal /dogs"))
            #expect(try folder.entries().map(\.request.url.absoluteString) == ["\(origin)/dogs"])
            let replayed = try await run(.none, origin)
            #expect(replayed.hasSuffix("\r\n\r\nreal /dogs"))
            #expect(real.requests.count == 1)
        }
    }
    #endif
}
