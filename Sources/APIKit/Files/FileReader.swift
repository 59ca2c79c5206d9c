import Foundation

/// A regular file that is open for reading.
struct FileReader {
    /// The size of the file in bytes when it was opened.
    let size: Int

    private let url: URL
    private let handle: FileHandle

    /// Opens a file, without reading from it.
    ///
    /// - Throws: An ``APIError`` that names the file.
    init(_ url: URL) throws {
        self.url = url
        // Opening a pipe without `O_NONBLOCK` waits for its writer.
        let handle = try url.openFile(O_RDONLY | O_NONBLOCK)
        let status = try url.naming { try handle.status() }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw APIError(unreadable: url, "it is not a regular file")
        }
        self.handle = handle
        size = Int(clamping: status.st_size)
    }

    /// Calls a closure with each piece of the rest of the file.
    func forEachPiece(upTo size: Int = 65_536, _ body: (Data) throws -> Void) throws {
        while case let piece = try nextPiece(upTo: size), !piece.isEmpty { try body(piece) }
    }

    /// Returns the next piece, which is empty at the end of the file.
    func nextPiece(upTo size: Int) throws -> Data {
        try url.naming { try Data(upTo: size, from: readPiece) }
    }

    /// Reads a piece into a buffer.
    ///
    /// - Returns: The size of the piece: 0 at the end of the file, and -1 if reading fails.
    func readPiece(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        read(handle.fileDescriptor, buffer.baseAddress, buffer.count)
    }
}

extension Data {
    /// Creates data with the bytes that a system call reads into a buffer.
    ///
    /// On Apple platforms, data that `FileHandle` returns stays in memory until the next autorelease
    /// pool is drained.
    init(upTo size: Int, from read: (UnsafeMutableRawBufferPointer) -> Int) throws {
        self.init(count: size)
        let count = withUnsafeMutableBytes(read)
        guard count >= 0 else { throw POSIXError.last }
        removeLast(size - count)
    }
}
