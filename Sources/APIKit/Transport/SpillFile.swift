import Foundation

/// A file without a name that holds bytes until they are read, first in, first out.
final class SpillFile {
    private let file: FileHandle
    private var start = 0
    private var end = 0

    var isEmpty: Bool { start == end }

    init(in directory: URL = FileManager.default.temporaryDirectory) throws {
        let url = directory.appendingPathComponent("APIKit-\(UUID().uuidString)")
        file = try url.openFile(O_RDWR | O_CREAT | O_EXCL, permissions: 0o600)
        // Without its name the file is gone with whoever has it open, also after a crash.
        unlink(url.path)
    }

    func append(_ data: Data) throws {
        try file.seek(toOffset: UInt64(end))
        try file.write(contentsOf: data)
        end += data.count
    }

    /// Takes some of the bytes that were written first.
    func next() throws -> Data {
        // What the handle's own function returns stays in memory on Apple platforms until the next
        // autorelease pool is drained.
        var data = Data(count: min(end - start, 1 << 18))
        let count = data.withUnsafeMutableBytes { buffer in
            pread(file.fileDescriptor, buffer.baseAddress, buffer.count, off_t(start))
        }
        guard count >= 0 else { throw POSIXError.last }
        guard count > 0 else { throw CocoaError(.fileReadCorruptFile) }
        data = data.prefix(count)
        start += count
        if isEmpty {
            try file.truncate(atOffset: 0)
            (start, end) = (0, 0)
        }
        return data
    }
}
