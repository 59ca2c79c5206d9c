import Foundation

/// A file without a name that holds bytes until they are read, first in, first out.
final class SpillFile {
    private let writer: FileHandle
    private let reader: FileHandle
    private var count = 0

    var isEmpty: Bool { count == 0 }

    init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("APIKit-\(UUID().uuidString)")
        writer = try url.openFile(O_WRONLY | O_CREAT | O_EXCL, permissions: 0o600)
        // Without its name the file is gone with whoever has it open, also after a crash.
        defer { unlink(url.path) }
        reader = try url.openFile(O_RDONLY)
    }

    func append(_ data: Data) throws {
        try writer.write(contentsOf: data)
        count += data.count
    }

    /// Takes some of the bytes that were written first.
    func next() throws -> Data {
        guard let data = try reader.read(upToCount: min(count, 1 << 18)), !data.isEmpty else {
            throw CocoaError(.fileReadCorruptFile)
        }
        count -= data.count
        if isEmpty {
            try writer.truncate(atOffset: 0)
            try reader.seek(toOffset: 0)
        }
        return data
    }
}
