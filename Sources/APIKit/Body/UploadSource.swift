import Foundation

/// The source that a transport reads a body from.
package enum UploadSource: Sendable {
    /// Bytes in memory.
    case data(Data)
    /// A file of the caller.
    case file(URL)
    /// A file that is deleted when its last reference is released.
    case temporary(TemporaryFile)

    /// Returns the size of the body in bytes.
    func size() throws -> Int {
        switch self {
        case .data(let data): data.count
        case .file(let url): try FileReader(url).size
        case .temporary(let file): try FileReader(file.url).size
        }
    }

    /// Throws if a file of the caller is no longer readable, or is shorter than the given size.
    func checkSize(_ size: Int) throws {
        guard case .file(let url) = self, try FileReader(url).size < size else { return }
        throw APIError(shortened: url)
    }
}

extension APIError {
    /// Creates the error for a file that has become shorter than the announced length.
    init(shortened url: URL) {
        self.init(unreadable: url, "it became shorter during the upload")
    }
}
