import Foundation

/// What cuts a text into lines while it arrives, wherever it was cut into chunks.
///
/// A line ends with LF, CR or CRLF, and is there as soon as that has arrived. A byte order mark at
/// the very start is no part of the text.
///
/// Every byte is looked at once and copied at most once before its line is whole, so the time taken
/// grows with the length of the text alone.
struct LineSplitter {
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The start of a line whose end has not arrived.
    private var partial = Data()
    private var isFirst = true
    private var previous: UInt8 = 0

    /// Returns the lines that end in a chunk, as slices of the chunk where they lie in it.
    mutating func lines(in chunk: Data) -> [Data] {
        var lines: [Data] = []
        var start = chunk.startIndex
        // Unsafe bytes, because a subscript of `Data` takes ten times as long.
        chunk.withUnsafeBytes { bytes in
            for index in bytes.indices {
                let byte = bytes[index]
                let end = chunk.startIndex + index
                switch byte {
                case Self.lineFeed where previous == Self.carriageReturn:
                    // The line has ended with the CR, without waiting for what comes after it.
                    start = end + 1
                case Self.lineFeed, Self.carriageReturn:
                    lines.append(line(endingWith: chunk[start..<end]))
                    start = end + 1
                default: break
                }
                previous = byte
            }
        }
        partial.append(chunk[start...])
        return lines
    }

    /// Tells whether the line whose end has not arrived is certainly longer than a limit.
    ///
    /// A byte order mark in front of the line does not count.
    func isLongerThan(_ limit: Int) -> Bool {
        partial.count - Self.byteOrderMark.count > limit
    }

    /// Returns the last line if it has no ending, and forgets it.
    mutating func rest() -> Data? {
        let rest = line(endingWith: Data())
        return rest.isEmpty ? nil : rest
    }

    private mutating func line(endingWith end: Data) -> Data {
        var line = end
        if !partial.isEmpty {
            partial.append(end)
            line = partial
            partial = Data()
        }
        guard isFirst else { return line }
        isFirst = false
        return line.starts(with: Self.byteOrderMark) ? line.dropFirst(3) : line
    }
}
