import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn, .timeLimit(.minutes(10))) struct SpillFileTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test func fileHoldsBytesUntilRead() throws {
        let file = SpillFile(in: folder.url)

        try file.append(Data("one".utf8))
        try file.append(Data("two".utf8))
        #expect(try file.next() == Data("onetwo".utf8))
        #expect(file.isEmpty)

        try file.append(Data("six".utf8))
        #expect(try file.next() == Data("six".utf8))
        #expect(file.isEmpty)
    }

    @Test func readReturnsBoundedPart() throws {
        let file = SpillFile(in: folder.url)
        let data = Data.periodic(1_000_000)

        try file.append(data)
        let first = try #require(try file.next())
        try file.append(first)
        var rest = Data()
        while let next = try file.next() { rest += next }

        #expect(first.count == 1 << 18)
        #expect(first + rest == data + first)
    }

    @Test func fileHasNoName() throws {
        let file = SpillFile(in: folder.url)
        try file.append(Data("one".utf8))

        #expect(try folder.names.isEmpty)
        #expect(try file.next() == Data("one".utf8))
    }

    @Test func missingFolderIsAnError() {
        let file = SpillFile(in: folder.url("missing"))

        let error = #expect(throws: APIError.self) { try file.append(Data("one".utf8)) }

        #expect(error?.kind == .file(folder.url("missing")))
        #expect(error?.underlying as? POSIXError == POSIXError(.ENOENT))
    }

    @Test(arguments: 0..<UInt64(Stress.count(20)))
    func segmentsOfAnySizeKeepBytesInOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let file = SpillFile(in: folder.url, segmentSize: Int.random(in: 1...50, using: &random))
        var (written, read) = (Data(), Data())
        for _ in 0..<300 {
            if Bool.random(using: &random) {
                let data = Data.random(0...120, using: &random)
                try file.append(data)
                written += data
            } else {
                read += try file.next() ?? Data()
            }
            #expect(file.isEmpty == (read.count == written.count))
        }
        while let next = try file.next() { read += next }

        #expect(read == written)
    }

    #if os(Linux)
    @Test func lossOfBytesIsAnErrorOfTheFolder() throws {
        let file = SpillFile(in: folder.url)
        try file.append(Data("one".utf8))
        let path = try #require(try pathOfUnnamedFile())
        try #require(truncate(path, 0) == 0)

        expectError(.file(folder.url)) { try file.next() }
    }

    /// The path at which this process can reach the file without a name in the folder.
    private func pathOfUnnamedFile() throws -> String? {
        let open = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: open).map { "\(open)/\($0)" }
            .first { path in
                // Another test may have closed its file since.
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
                return target?.contains(folder.url.lastPathComponent) == true
            }
    }
    #endif

    #if os(Linux) && compiler(>=6.2)
    // These tests run in a separate process, which has no other unnamed files.

    @Test func fullDiskIsAnErrorOfTheFolder() async throws {
        await #expect(processExitsWith: .success) {
            try await withFullDisk(after: 5) {
                let file = SpillFile()
                try file.append(Data("one".utf8))

                expectError(.file(FileManager.default.temporaryDirectory)) {
                    try file.append(Data("two".utf8))
                }
                #expect(try file.next() == Data("one".utf8))
            }
        }
    }

    @Test(
        .enabled(if: Stress.isFull, "it moves 64 MiB through a file, so it runs only with STRESS=1")
    )
    func diskHoldsNoMoreThanUnreadBytesAndOneSegment() async throws {
        await #expect(processExitsWith: .success) {
            let excess = try Self.greatestExcess(segmentSize: 1 << 20, unread: 7 << 18)

            #expect(excess <= (1 << 20) + 4096)
        }
    }

    /// Moves 64 MiB through a file, and returns the most disk space beyond the unread bytes.
    ///
    /// The reader stays behind the writer by the limit until all bytes are written.
    private static func greatestExcess(segmentSize: Int, unread limit: Int) throws -> Int {
        let file = SpillFile(segmentSize: segmentSize)
        let chunk = Data(repeating: 1, count: 1 << 18)
        var (unread, written, excess) = (0, 0, 0)
        while unread > 0 || written < 64 << 20 {
            if written < 64 << 20 {
                try file.append(chunk)
                unread += chunk.count
                written += chunk.count
            }
            if unread > limit || written == 64 << 20 { unread -= try file.next()?.count ?? 0 }
            excess = max(excess, allocatedBytes - unread)
        }
        return excess
    }

    /// The disk space of the unnamed files of this process, in bytes.
    private static var allocatedBytes: Int {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.reduce(0) { sum, name in
            var status = stat()
            guard let number = Int32(name), fstat(number, &status) == 0,
                status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 0
            else { return sum }
            return sum + Int(status.st_blocks) * 512
        }
    }
    #endif
}
