import Foundation

/// Splits the chunks of a text into lines.
///
/// A line ends with LF, CR or CRLF, and is complete as soon as its ending arrives. A byte order mark
/// at the start of the text is dropped.
///
/// Each byte is examined once and copied at most once, so the time is linear in the text's length.
struct LineSplitter {
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let byteOrderMark = "\u{FEFF}".utf8

    /// The start of an incomplete line.
    private var partial = Data()
    private var isFirst = true
    private var previous: UInt8 = 0

    /// Returns the lines that end in a chunk, as slices of it where possible.
    mutating func lines(in chunk: Data) -> [Data] {
        var lines: [Data] = []
        var start = chunk.startIndex
        // Unsafe bytes, because the subscript of `Data` takes ten times as long.
        chunk.withUnsafeBytes { bytes in
            for index in bytes.indices {
                let byte = bytes[index]
                let end = chunk.startIndex + index
                switch byte {
                case Self.lineFeed where previous == Self.carriageReturn:
                    // The CR has already ended the line.
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

    /// Whether the incomplete line exceeds a limit, even if it starts with a byte order mark.
    func isLongerThan(_ limit: Int) -> Bool { partial.count - Self.byteOrderMark.count > limit }

    /// Removes and returns the last line, if it has no ending.
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
