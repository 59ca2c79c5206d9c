import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn, .timeLimit(.minutes(10))) struct ChunkBufferTests {
    private let buffer = ChunkBuffer(limit: 10)

    private func append(_ texts: String..., to other: ChunkBuffer? = nil) {
        for text in texts { (other ?? buffer).append(Data(text.utf8)) }
    }

    /// Reads the rest of a finished buffer.
    private func rest() async throws -> String {
        var data = Data()
        while let chunk = try await buffer.next() { data += chunk }
        return String(decoding: data, as: UTF8.self)
    }

    @Test func chunksAreReturnedInOrder() async throws {
        append("one", "", "two")

        #expect(try await buffer.next() == Data("one".utf8))
        append("six")
        #expect(try await buffer.next() == Data("two".utf8))
        #expect(try await buffer.next() == Data("six".utf8))
    }

    @Test func readerThatIsFarBehindReceivesJoinedChunks() async throws {
        let buffer = ChunkBuffer()
        let chunks = (0..<40).map { Data(repeating: $0, count: 16_384) }
        for chunk in chunks { buffer.append(chunk) }
        buffer.finish(.success(()))

        var read: [Data] = []
        while let chunk = try await buffer.next() { read.append(chunk) }

        #expect(read.map(\.count) == [262_144, 262_144] + Array(repeating: 16_384, count: 8))
        #expect(read.reduce(Data(), +) == chunks.reduce(Data(), +))
    }

    @Test func orderIsKeptFromMemoryToFileAndBack() async throws {
        append("0123456", "789abcd", "in the file", " too")
        #expect(try await buffer.next() == Data("0123456".utf8))
        append(" and behind it")
        buffer.finish(.success(()))

        #expect(try await rest() == "789abcdin the file too and behind it")
    }

    @Test func memoryIsUsedAgainAfterFileIsRead() async throws {
        append("0123456789", "file")
        _ = try await buffer.next()
        #expect(try await buffer.next() == Data("file".utf8))

        append("memory")
        #expect(buffer.byteCount == 6)
        append("again", "second file")
        #expect(buffer.byteCount == 11)
        buffer.finish(.success(()))

        #expect(try await rest() == "memoryagainsecond file")
    }

    @Test func memoryIsBoundedByLimitAndOneChunk() {
        for _ in 0..<1000 { append("1234567") }

        #expect(buffer.byteCount == 14)
    }

    @Test func errorFollowsEarlierChunks() async throws {
        append("0123456789", "file")
        buffer.finish(.failure(Refusal()))
        append("late")
        buffer.finish(.success(()))

        #expect(try await buffer.next() == Data("0123456789".utf8))
        #expect(try await buffer.next() == Data("file".utf8))
        await #expect(throws: Refusal.self) { try await buffer.next() }
        await #expect(throws: Refusal.self) { try await buffer.next() }
    }

    @Test func waitingReaderResumes() async throws {
        for end in [Result<Void, any Error>.success(()), .failure(Refusal())] {
            let buffer = ChunkBuffer()
            async let chunk = buffer.next()
            append("one", to: buffer)
            #expect(try await chunk == Data("one".utf8))

            let last = Task { try await buffer.next() }
            buffer.finish(end)
            switch (await last.result, end) {
            case (.success(let chunk), .success): #expect(chunk == nil)
            case (.failure(let error), .failure): #expect(error is Refusal)
            default: Issue.record("The reader received another end.")
            }
        }
    }

    @Test func canceledReaderLosesNoChunk() async throws {
        let reading = Task { [buffer] in try await buffer.next() }
        await until("a reader waits") { buffer.hasReader }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }

        append("one")

        #expect(try await buffer.next() == Data("one".utf8))
    }

    @Test func canceledReaderLeavesRoomForTheNext() async throws {
        let reading = Task { [buffer] in try await buffer.next() }
        await until("a reader waits") { buffer.hasReader }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        try #require(!buffer.hasReader)

        async let next = buffer.next()
        await until("a reader waits") { buffer.hasReader }
        append("one")

        #expect(try await next == Data("one".utf8))
    }

    @Test func secondReaderThrowsWhileAnotherWaits() async throws {
        let first = Task { [buffer] in try await buffer.next() }
        await until("a reader waits") { buffer.hasReader }

        await #expect(throws: CancellationError.self) { try await buffer.next() }
        append("one")

        #expect(try await first.value == Data("one".utf8))
    }

    @Test(arguments: [false, true])
    func cancellationDropsContent(isFinished: Bool) async throws {
        append("0123456789", "file")
        if isFinished { buffer.finish(.success(())) }

        buffer.cancel()
        append("late")

        #expect(buffer.byteCount == 0)
        if isFinished {
            #expect(try await buffer.next() == nil)
        } else {
            await #expect(throws: CancellationError.self) { try await buffer.next() }
        }
    }

    @Test(arguments: 0..<20)
    func randomOperationsKeepBytesInOrder(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let limit = Int.random(in: 1...200, using: &random)
        let buffer = ChunkBuffer(limit: limit)
        var (expected, received) = (Data(), Data())
        for _ in 0..<Stress.count(500) {
            if Bool.random(using: &random) {
                let chunk = Data.random(0...60, using: &random)
                buffer.append(chunk)
                expected += chunk
            } else if received.count < expected.count {
                received += try #require(try await buffer.next())
            }
            #expect(expected.starts(with: received))
            #expect(buffer.byteCount < limit + 60)
        }
        buffer.finish(.success(()))
        while let chunk = try await buffer.next() { received += chunk }

        #expect(received == expected)
    }

    @Test(arguments: [1, 1000, 1 << 20])
    func chunksPassBetweenThreads(limit: Int) async throws {
        let buffer = ChunkBuffer(limit: limit)
        let chunks = (0..<Stress.count(10_000)).map {
            Data(repeating: UInt8($0 % 256), count: $0 % 97)
        }
        Thread.detachNewThread {
            for chunk in chunks { buffer.append(chunk) }
            buffer.finish(.success(()))
        }

        var received = Data()
        while let chunk = try await buffer.next() { received += chunk }

        #expect(received == chunks.reduce(Data(), +))
    }
}
