import APIKit
import Foundation
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct ByteStreamTests {
    private let body = HeldBody()

    @Test func streamOfDataReturnsData() async throws {
        #expect(try await ByteStream(Data("here".utf8)).text() == "here")
        #expect(try await ByteStream(Data()).text().isEmpty)
    }

    @Test func emptyChunksOfSequenceAreSkipped() async throws {
        let stream = ByteStream(body.chunks)
        for chunk in ["one", "", "", "two", ""] { body.send(chunk) }
        body.finish()

        var chunks: [String] = []
        for try await chunk in stream { chunks.append(String(decoding: chunk, as: UTF8.self)) }

        #expect(chunks == ["one", "two"])
    }

    @Test func errorOfSequenceIsThrownOnEachRead() async throws {
        let stream = ByteStream(
            AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(Data("one".utf8))
                continuation.finish(throwing: Refusal())
            })
        var iterator = stream.makeAsyncIterator()

        #expect(try await iterator.next() == Data("one".utf8))
        await #expect(throws: Refusal.self) { try await iterator.next() }
        await #expect(throws: Refusal.self) { try await stream.data() }
    }

    @Test func endedStreamReturnsNothingMore() async throws {
        let stream = ByteStream(Data("here".utf8))

        #expect(try await stream.data() == Data("here".utf8))
        #expect(try await stream.data().isEmpty)
    }

    @Test func readAfterExitFromLoopThrows() async throws {
        let stream = ByteStream(body.chunks)
        body.send("one")
        body.send("two")

        for try await _ in stream { break }

        await #expect(throws: CancellationError.self) { try await stream.data() }
    }

    @Test func cancelReachesTaskThatWaitsForChunk() async throws {
        let (started, canceled) = (Waiter<Void>(), Waiter<Void>())
        let stream = ByteStream(
            AsyncStream<Data> {
                started.signal()
                try? await canceled.value
                return nil
            } onCancel: {
                canceled.signal()
            })
        async let outcome = stream.outcome()
        try await started.wait()

        stream.cancel()

        #expect(await outcome.error is CancellationError)
        try await canceled.wait()
    }

    /// A canceled `AsyncStream` ends without an error.
    @Test func canceledReaderDoesNotCompleteStream() async throws {
        let ends = Locked<[String]>([])
        let stream = ByteStream(body.chunks)
        stream.onEnd { error in ends.append(error.map { "\($0)" } ?? "whole") }
        let started = Waiter<Void>()
        let reading = Task { for try await _ in stream { started.signal() } }
        body.send("one")
        try await started.wait()

        reading.cancel()

        await #expect(throws: CancellationError.self) { try await reading.value }
        #expect(ends.current == ["CancellationError()"])
        try await body.untilEnded()
    }

    @Test func sequenceEndsWhenStreamIsCanceledDuringChunk() async throws {
        let current = Locked<ByteStream?>(nil)
        let stream = ByteStream(
            body.chunks.map { chunk in
                current.current?.cancel()
                return chunk
            })
        current.set(stream)
        body.send("one")

        #expect(await stream.outcome().error is CancellationError)

        try await body.untilEnded()
    }

    @Test func sequenceEndsWhenLoopExitsBeforeLastChunk() async throws {
        for _ in 0..<100 {
            let body = HeldBody()
            body.send("one")
            body.send("two")

            for try await _ in ByteStream(body.chunks) { break }

            try await body.untilEnded()
        }
    }

    @Test func canceledReaderOfUncancellableSequenceResumes() async throws {
        let (started, end) = (Waiter<Void>(), Waiter<Data?>())
        let stream = ByteStream(UncancellableSequence(started: started, end: end))
        let reading = Task { try await stream.data() }
        try await started.wait()

        reading.cancel()

        await #expect(throws: CancellationError.self) { try await reading.value }
        end.answer(.success(nil))
    }

    @Test func cancelResumesReaderOfUncancellableSequence() async throws {
        let (started, end) = (Waiter<Void>(), Waiter<Data?>())
        let stream = ByteStream(UncancellableSequence(started: started, end: end))
        async let outcome = stream.outcome()
        try await started.wait()

        stream.cancel(throwing: Refusal())

        #expect(await outcome.error is Refusal)
        end.answer(.success(nil))
    }

    @Test func onEndIsCalledOnce() async throws {
        let ends = Locked<[String]>([])
        func open(_ name: String) -> ByteStream {
            let stream = ByteStream(Data("body".utf8))
            stream.onEnd { error in ends.append("\(name): \(error.map { "\($0)" } ?? "whole")") }
            return stream
        }

        _ = try await open("read").data()
        for try await _ in open("left") { break }
        _ = open("dropped")
        _ = open("asked for an iterator").makeAsyncIterator()
        open("canceled").cancel(throwing: Refusal())
        let twice = open("twice")
        _ = try await twice.data()
        twice.cancel()

        #expect(
            ends.current == [
                "read: whole", "left: CancellationError()", "dropped: CancellationError()",
                "asked for an iterator: CancellationError()",
                #"canceled: Refusal(reason: "no")"#, "twice: whole",
            ])
    }

    @Test func onEndOfEndedStreamIsCalledAtOnce() async throws {
        let (whole, left) = (ByteStream(Data()), ByteStream(Data()))
        let ends = Locked<[Bool]>([])

        _ = try await whole.data()
        whole.onEnd { error in ends.append(error == nil) }
        left.cancel()
        left.onEnd { error in ends.append(error == nil) }

        #expect(ends.current == [true, false])
    }
}

/// A sequence that ignores the cancellation of its task.
private struct UncancellableSequence: AsyncSequence, AsyncIteratorProtocol {
    let started: Waiter<Void>
    let end: Waiter<Data?>

    func makeAsyncIterator() -> UncancellableSequence { self }

    func next() async throws -> Data? {
        started.signal()
        return try await end.value
    }
}
