import Foundation

/// A file without a name that holds bytes until they are read, first in, first out.
final class SpillFile {
    private let file: FileHandle
    private var start = 0
    private var end = 0

    var isEmpty: Bool { start == end }

    init(in folder: URL = FileManager.default.temporaryDirectory) throws {
        let url = folder.appendingPathComponent("APIKit-\(UUID().uuidString)")
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
        try file.seek(toOffset: UInt64(start))
        guard let data = try file.read(upToCount: min(end - start, 1 << 18)), !data.isEmpty else {
            throw CocoaError(.fileReadCorruptFile)
        }
        start += data.count
        if isEmpty {
            try file.truncate(atOffset: 0)
            (start, end) = (0, 0)
        }
        return data
    }
}
