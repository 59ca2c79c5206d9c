import Foundation

/// A file that is deleted when its last reference is released.
final class TemporaryFile: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    var byteCount: Int? {
        try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Writes a number of zero bytes, which need no space on most file systems.
    func write(byteCount: Int) throws {
        try Data().write(to: url)
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: UInt64(byteCount))
        try handle.close()
    }
}
