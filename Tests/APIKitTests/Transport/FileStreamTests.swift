#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn) struct FileStreamTests {
    /// Reads a file of ten bytes, and returns the results of `read`.
    private func reads(size: Int, count: Int) throws -> [Int] {
        let directory = try TemporaryDirectory()
        let file = directory.url("file")
        try Data(repeating: 7, count: 10).write(to: file)
        let stream = FileStream(file, size: size)
        stream.open()
        defer { stream.close() }
        var buffer = [UInt8](repeating: 0, count: 6)
        return (0..<count).map { _ in stream.read(&buffer, maxLength: 6) }
    }

    @Test func streamEndsAtItsSize() throws {
        #expect(try reads(size: 7, count: 3) == [6, 1, 0])
    }

    @Test func streamOfAFileThatIsShorterFails() throws {
        #expect(try reads(size: 20, count: 3) == [6, 4, -1])
    }

    @Test func streamOfAMissingFileFails() throws {
        let stream = FileStream(try TemporaryDirectory().url("missing"), size: 1)
        stream.open()
        var buffer: [UInt8] = [0]

        #expect(stream.read(&buffer, maxLength: 1) == -1)
    }
}
#endif
