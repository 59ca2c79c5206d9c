import Foundation

/// Where a transport reads a body from.
package enum UploadSource: Sendable {
    /// Bytes in memory.
    case data(Data)
    /// A file of the caller's.
    case file(URL)
    /// A file that lasts for as long as it is referred to.
    case temporary(TemporaryFile)

    /// Returns how many bytes there are to send.
    func size() throws -> Int {
        switch self {
        case .data(let data): data.count
        case .file(let url): try FileReader(url).size
        case .temporary(let file): try FileReader(file.url).size
        }
    }

    /// Throws if it is a file of the caller's that cannot be read any longer, or not to its end.
    func checkSize(_ size: Int) throws {
        guard case .file(let url) = self, try FileReader(url).size < size else { return }
        throw APIError(unreadable: url, "it has become shorter")
    }
}
