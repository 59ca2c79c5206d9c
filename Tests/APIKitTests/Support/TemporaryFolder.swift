import Foundation

/// A folder that is gone with its test.
final class TemporaryFolder: Sendable {
    let url: URL

    init() {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The names of all that is in the folder, in order.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }

    func url(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// The text of a file, or nothing if there is no such file.
    func text(_ name: String) -> String? {
        (try? Data(contentsOf: url(name))).map { String(decoding: $0, as: UTF8.self) }
    }
}
