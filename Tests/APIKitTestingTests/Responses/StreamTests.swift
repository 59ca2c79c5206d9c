import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct StreamTests {
    private struct Broken: Error {}
    let server = MockServer.current
    private let chunks = ["one ", "two ", "three"].map { Data($0.utf8) }

    @Test func chunksAreJoinedForAWholeResponse() async throws {
        server.on(.any, reply: .stream(chunks, contentType: "text/plain"))
        let delegate = RecordingDelegate()
        let session = server.makeSession(delegate: delegate)

        for client in [server, server.session, session] as [any HTTPTransport] {
            let (data, response) = try await client.send(.make())

            #expect(String(decoding: data, as: UTF8.self) == "one two three")
            #expect(
                (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Type")
                    == "text/plain")
        }
        #expect(delegate.chunks.isEmpty)
        #expect(try await server.session.data(for: .make()).0 == chunks.reduce(Data(), +))
    }

    // The system may join chunks, so the test compares only the bytes of all chunks.
    @Test func delegateReceivesAChunkBeforeTheNextIsMade() async throws {
        let (sequence, continuation) = AsyncStream.makeStream(of: Data.self)
        server.on(.any, reply: .stream(sequence))
        let delegate = RecordingDelegate()
        server.makeSession(delegate: delegate).dataTask(with: .make()).resume()

        var sent = Data()
        for chunk in chunks {
            continuation.yield(chunk)
            sent += chunk
            await until("the chunk arrives") { delegate.body == sent }
        }
        continuation.finish()

        #expect(await delegate.completion() == nil)
        #expect(delegate.body == sent)
    }

    @Test func chunksKeepTheirBoundariesWithoutASession() async throws {
        server.on(.any, reply: .stream(chunks))

        var received: [Data] = []
        for try await chunk in try await server.stream(.make()).0 { received.append(chunk) }

        #expect(received == chunks)
    }

    // CFNetwork holds back the first 512 bytes of a body while it guesses the type.
    @Test func streamedResponseDisablesContentSniffing() async throws {
        let name = "X-Content-Type-Options"
        let replies: [MockResponse] = [
            .stream(chunks), .events(["one"]), .text("slow").throttled(bytesPerSecond: 1_000),
            .stream(chunks).header(name, "own"), .text("whole"),
        ]

        var values: [String?] = []
        for reply in replies {
            server.on(.any, reply: reply)
            let response = try await server.session.send(.make()).1 as? HTTPURLResponse
            values.append(response?.value(forHTTPHeaderField: name))
        }

        #expect(values == ["nosniff", "nosniff", "nosniff", "own", nil])
    }

    @Test(arguments: [false, true])
    func errorOfTheSequenceFailsTheLoad(withURLSession: Bool) async throws {
        let sequence = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("one".utf8))
            continuation.finish(throwing: Broken())
        }
        server.on(.any, reply: .stream(sequence))
        let client: any HTTPTransport = withURLSession ? server.session : server

        await #expect(throws: Broken.self) { try await client.send(.make()) }
    }

    @Test func canceledTaskTerminatesTheSequence() async throws {
        let ended = AsyncStream.makeStream(of: Void.self)
        let sequence = AsyncStream<Data> { continuation in
            continuation.onTermination = { _ in ended.continuation.finish() }
        }
        server.on(.any, reply: .stream(sequence))
        let load = Task { try await server.session.send(.make()) }
        _ = try await server.nextRequest()

        load.cancel()

        for await _ in ended.stream {}
        await #expect(throws: CancellationError.self) { try await load.value }
    }

    @Test func eventsAreFramedAsInTheStandard() async throws {
        server.on(
            .any,
            reply: .events([
                "one", "two\nlines",
                ServerSentEvent(data: "{}", type: "done", id: "7", retry: .seconds(2)), "",
                ServerSentEvent(data: "one\rtwo\r\n\nid: 3", retry: .milliseconds(Int64.max)),
            ]))

        let (data, response) = try await server.session.send(.make())

        #expect(
            String(decoding: data, as: UTF8.self) == """
                data: one

                data: two
                data: lines

                event: done
                id: 7
                retry: 2000
                data: {}

                data:\u{20}

                retry: 9223372036854775807
                data: one
                data: two
                data:\u{20}
                data: id: 3


                """)
        #expect(
            (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Type")
                == "text/event-stream")
    }

    @Test(arguments: Duration.extremes)
    func eventsCarryAnyReconnectionTime(retry: Duration) async throws {
        server.on(.any, reply: .events([ServerSentEvent(data: "a", retry: retry)]))

        for try await event in try await server.stream(.make()).0.events {
            #expect(event.retry == max(.zero, min(retry, .milliseconds(Int64.max))))
        }
    }

}
