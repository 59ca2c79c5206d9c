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
        let hasHead = DispatchSemaphore(value: 0)
        try await LoopbackServer.run(over: version) { [head] connection in
            _ = try connection.head()
            connection.write(head)
            hasHead.wait()
            connection.write("hello, Rex")
        } while: { server in
            defer { hasHead.signal() }
            let (stream, _) = try await TransportUnderTest.makeTrusting().stream(
                server.request("/dogs"))
            hasHead.signal()

            #expect(try await stream.data() == Data("hello, Rex".utf8))
        }
    }

    @Test func silenceWithinABodyEndsTheStreamWithATimeout() async throws {
        try await LoopbackServer.run(respond: { [head] _ in .send(head + "hello") }) { server in
            var request = try server.request("/dogs")
            request.timeoutInterval = 2
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
        try await LoopbackServer.run(respond: { head in
            head.contains("/silent") ? .silence : .flood(megabytes: 8)
        }) { server in
            var request = try server.request("/large")
            request.timeoutInterval = 3
            var pause = try server.request("/silent")
            pause.timeoutInterval = 4
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
        try await LoopbackServer.run(serve: { [head] connection in
            _ = try connection.head()
            connection.write(head)
            for character in "hell" {
                // The system measures the time, so the pause is a real one.
                sleep(1)
                connection.write(String(character))
            }
            connection.write("o, Rex")
        }) { server in
            var request = try server.request("/dogs")
            request.timeoutInterval = 3

            let response = try await TransportUnderTest.make().load(request)

            #expect(response.value == "hello, Rex")
        }
    }
}
