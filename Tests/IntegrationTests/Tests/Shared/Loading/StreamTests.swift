import APIKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct StreamTests {
    // Without a type, CFNetwork holds back the head until it has 512 bytes to guess the type from.
    private let head = """
        HTTP/1.1 200 OK\r\nContent-Type: image/x-dog\r\nX-Content-Type-Options: nosniff\r\n\
        Content-Length: 10\r\n\r\n
        """

    @Test(arguments: TransportUnderTest.versions)
    func streamHasItsHeadBeforeTheFirstByteOfItsBody(version: HTTPVersion) async throws {
        let (heads, hasHead) = AsyncStream.makeStream(of: Never.self)
        try await RawServer.run(over: version) { [head] connection in
            _ = try await connection.head()
            try await connection.send(head)
            for await _ in heads {}
            try await connection.send("hello, Rex")
        } while: { server in
            let (stream, _) = try await TransportUnderTest.makeTrusting().stream(
                server.request("/dogs"))
            hasHead.finish()

            #expect(try await stream.data() == Data("hello, Rex".utf8))
        }
    }

    @Test func silenceWithinABodyEndsTheStreamWithATimeout() async throws {
        try await RawServer.run(respond: { [head] _ in .send(head + "hello") }) { server in
            var request = try server.request("/dogs")
            request.timeoutInterval = 5
            let (stream, _) = try await TransportUnderTest.make().stream(request)
            var received = Data()

            let error = await #expect(throws: URLError.self) {
                for try await chunk in stream { received += chunk }
            }

            #expect(error?.code == .timedOut)
            #expect(received == Data("hello".utf8))
        }
    }

    @Test func readerCanPauseLongerThanTheTimeout() async throws {
        try await RawServer.run(respond: { head in
            head.contains("/silent") ? .silence : .flood(megabytes: 8)
        }) { server in
            var request = try server.request("/large")
            request.timeoutInterval = 5
            var pause = try server.request("/silent")
            pause.timeoutInterval = 8
            let transport = TransportUnderTest.make()

            let (stream, _) = try await transport.stream(request)
            var size = 0
            for try await chunk in stream {
                if size == 0 {
                    await #expect(throws: URLError.self) { try await transport.send(pause) }
                }
                size += chunk.count
            }

            #expect(size == 8 << 20)
        }
    }

    @Test func loadCanTakeLongerThanTheTimeoutWhileItReceives() async throws {
        let transport = TransportUnderTest.make()
        try await RawServer.run(respond: { _ in .silence }) { silent in
            var pause = try silent.request("/silent")
            pause.timeoutInterval = 2
            try await RawServer.run(serve: { [head, pause] connection in
                _ = try await connection.head()
                try await connection.send(head)
                for character in "he" {
                    _ = await Result { try await transport.send(pause) }
                    try await connection.send(String(character))
                    _ = await Result { try await transport.send(pause) }
                }
                try await connection.send("llo, Rex")
            }) { server in
                var request = try server.request("/dogs")
                request.timeoutInterval = 6

                let response = try await transport.load(request)

                #expect(response.value == "hello, Rex")
            }
        }
    }
}
