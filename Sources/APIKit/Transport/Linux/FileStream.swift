import Foundation

#if canImport(FoundationNetworking)

/// The start of a file as the body of a request, which is read anew each time that it is opened.
final class FileStream: InputStream {
    private let url: URL
    private let size: Int
    private var reader: FileReader?
    private var rest = 0

    /// Creates a stream that is not open yet.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - size: How many bytes of it there are to read, whatever is added to it meanwhile.
    init(_ url: URL, size: Int) {
        self.url = url
        self.size = size
        super.init(data: Data())
    }

    override func open() {
        // A file that cannot be opened cannot be read either, which is when it is found out.
        reader = try? FileReader(url)
        rest = size
    }

    override func close() { reader = nil }

    override var streamStatus: Status { reader == nil ? .notOpen : .open }

    override var hasBytesAvailable: Bool { rest > 0 }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        let piece = UnsafeMutableRawBufferPointer(start: buffer, count: min(maxLength, rest))
        guard !piece.isEmpty else { return 0 }
        // A file that ends too early is a failure: the server waits for what it was promised.
        guard let count = reader?.readPiece(into: piece), count > 0 else { return -1 }
        rest -= count
        return count
    }
}

#endif
