import Foundation

/// An empty directory for one test, which is deleted with its contents after the test.
final class TemporaryDirectory: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "APIKitTests-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The names of the files in the directory, in order.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }

    func url(_ name: String) -> URL { url.appending(path: name) }

    /// The text of a file, or `nil` if the file does not exist.
    func text(_ name: String) -> String? {
        (try? Data(contentsOf: url(name))).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Creates a file.
    func file(_ name: String = "file.bin", _ content: Data = Data("content".utf8)) throws -> URL {
        let file = url.appending(path: name)
        try content.write(to: file)
        return file
    }

    /// Creates a sparse file, which takes no disk space.
    func hole(of size: Int) throws -> URL {
        let file = try file("hole", Data())
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(size))
        return file
    }
}
