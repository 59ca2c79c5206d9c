import Foundation

#if canImport(FoundationNetworking)

/// A stream of the first bytes of a file, which restarts each time it is opened.
final class FileStream: InputStream {
    private let url: URL
    private let size: Int
    private var reader: FileReader?
    private var rest = 0

    /// Creates a stream that is not open yet.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - size: The number of bytes to read, even if the file grows.
    init(_ url: URL, size: Int) {
        self.url = url
        self.size = size
        super.init(data: Data())
    }

    override func open() {
        // If the file cannot be opened, `read` reports the failure.
        reader = try? FileReader(url)
        rest = size
    }

    override func close() { reader = nil }

    override var streamStatus: Status { reader == nil ? .notOpen : .open }

    override var hasBytesAvailable: Bool { rest > 0 }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        let piece = UnsafeMutableRawBufferPointer(start: buffer, count: min(maxLength, rest))
        guard !piece.isEmpty else { return 0 }
        // A file that has become shorter is a failure: the server waits for the announced size.
        guard let count = reader?.readPiece(into: piece), count > 0 else { return -1 }
        rest -= count
        return count
    }
}

#endif
