import Foundation

/// A queue of bytes in unnamed temporary files.
///
/// Each file is a segment of the queue, and is deleted once it has been read. So the disk holds the
/// unread bytes, and at most 64 MiB of bytes that have been read.
///
/// The files have no names, so an error names their directory: an ``APIError`` of kind
/// ``APIError/Kind/file(_:)``, and not a failure of the transport.
final class SpillFile {
    /// A file, and its capacity in bytes.
    private typealias Segment = (file: FileHandle, size: Int)

    private let directory: URL
    private let segmentSize: Int
    private var segments: [Segment] = []
    /// The position of the first unread byte in the first segment.
    private var start = 0
    /// The position after the last byte in the last segment.
    private var end = 0

    var isEmpty: Bool { segments.isEmpty }

    /// Creates an empty queue, whose first write creates the first segment.
    init(in directory: URL = FileManager.default.temporaryDirectory, segmentSize: Int = 4 << 20) {
        self.directory = directory
        self.segmentSize = segmentSize
    }

    func append(_ data: Data) throws {
        var rest = data
        try directory.naming {
            while !rest.isEmpty {
                let segment = try lastSegment()
                let piece = rest.prefix(segment.size - end)
                try segment.file.seek(toOffset: UInt64(end))
                try segment.file.write(contentsOf: piece)
                end += piece.count
                rest = rest.dropFirst(piece.count)
            }
        }
    }

    /// Removes and returns the next bytes.
    ///
    /// - Returns: At most 256 KiB, or `nil` if the queue is empty.
    func next() throws -> Data? {
        // A disk that is full leaves a segment without bytes.
        guard let segment = segments.first, segments.count > 1 || start < end else { return nil }
        let segmentEnd = segments.count == 1 ? end : segment.size
        let data = try directory.naming {
            let data = try Data(upTo: min(segmentEnd - start, 1 << 18)) { buffer in
                pread(segment.file.fileDescriptor, buffer.baseAddress, buffer.count, off_t(start))
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
    private func lastSegment() throws -> Segment {
        if let last = segments.last, end < last.size { return last }
        let (url, file) = try directory.newTemporaryFile()
        // The system deletes a file without a name when it is closed, even after a crash.
        try url.removeName()
        // The number of open files is limited, so later segments are larger.
        let segment = (file, segmentSize << min(segments.count / 16, 4))
        segments.append(segment)
        end = 0
        return segment
    }
}
