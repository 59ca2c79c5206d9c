import Foundation

/// A queue of bytes in unnamed temporary files.
///
/// Each file is a segment of the queue, and is deleted once it has been read. So the disk holds the
/// unread bytes, and less than a segment of bytes that have been read.
///
/// The files have no names, so an error names their directory: an ``APIError`` of kind
/// ``APIError/Kind/file(_:)``, and not a failure of the transport.
final class SpillFile {
    private let directory: URL
    private let segmentSize: Int
    private var segments: [FileHandle] = []
    /// The position of the first unread byte in the first segment.
    private var start = 0
    /// The position after the last byte in the last segment.
    private var end = 0

    var isEmpty: Bool { segments.isEmpty }

    /// Creates an empty queue, whose first write creates the first segment.
    init(in directory: URL = FileManager.default.temporaryDirectory, segmentSize: Int = 64 << 20) {
        self.directory = directory
        self.segmentSize = segmentSize
    }

    func append(_ data: Data) throws {
        var rest = data
        try directory.naming {
            while !rest.isEmpty {
                let file = try lastSegment()
                let piece = rest.prefix(segmentSize - end)
                try file.write(contentsOf: piece)
                end += piece.count
                rest = rest.dropFirst(piece.count)
            }
        }
    }

    /// Removes and returns the next bytes.
    ///
    /// - Returns: At most 256 KiB, or `nil` if the queue is empty.
    func next() throws -> Data? {
        let segmentEnd = segments.count > 1 ? segmentSize : end
        // A disk that is full leaves a segment without bytes.
        guard let file = segments.first, start < segmentEnd else { return nil }
        let data = try directory.naming {
            let data = try Data(upTo: min(segmentEnd - start, 1 << 18)) { buffer in
                pread(file.fileDescriptor, buffer.baseAddress, buffer.count, off_t(start))
            }
            guard !data.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
            return data
        }
        start += data.count
        if start == segmentEnd {
            segments.removeFirst()
            start = 0
        }
        return data
    }

    /// Returns the segment that has room for another byte.
    private func lastSegment() throws -> FileHandle {
        if let last = segments.last, end < segmentSize { return last }
        let (url, file) = try directory.newTemporaryFile()
        // The system deletes a file without a name when it is closed, even after a crash.
        try url.removeName()
        segments.append(file)
        end = 0
        return file
    }
}
