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
        handle = try url.openFile(O_RDONLY | O_NONBLOCK)
        var status = stat()
        guard fstat(handle.fileDescriptor, &status) == 0 else {
            throw APIError.ofLastSystemCall(on: url)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw APIError(unreadable: url, "it is not a regular file")
        }
        size = Int(clamping: status.st_size)
    }

    /// Calls a closure with each piece of the rest of the file.
    func forEachPiece(upTo size: Int = 65_536, _ body: (Data) throws -> Void) throws {
        while case let piece = try nextPiece(upTo: size), !piece.isEmpty { try body(piece) }
    }

    /// Returns the next piece, which is empty at the end of the file.
    // Not `FileHandle`: on Apple platforms, the data that it returns stays in memory until the next
    // autorelease pool is drained.
    func nextPiece(upTo size: Int) throws -> Data {
        var piece = Data(count: size)
        let count = piece.withUnsafeMutableBytes(readPiece)
        guard count >= 0 else { throw APIError.ofLastSystemCall(on: url) }
        return piece.prefix(count)
    }

    /// Reads a piece into a buffer.
    ///
    /// - Returns: The size of the piece: 0 at the end of the file, and -1 if reading fails.
    func readPiece(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        read(handle.fileDescriptor, buffer.baseAddress, buffer.count)
    }
}
