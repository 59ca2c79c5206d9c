/// A text without its escapes, and where each of its bytes comes from.
package struct UnescapedText {
    /// Consecutive bytes that are copied, or that one escape produces.
    private struct Run {
        let offset: Int
        let source: Range<Int>
        let isEscape: Bool
    }

    package private(set) var bytes: [UInt8] = []
    /// Whether an escape differs from its bytes.
    package private(set) var hasEscapes = false
    /// Whether an escape is malformed, so that it stays.
    package private(set) var hasMalformedEscapes = false
    private var runs: [Run] = []

    package init() {}

    /// Appends bytes of the source.
    package mutating func copy(_ range: Range<Int>, of source: [UInt8]) {
        guard !range.isEmpty else { return }
        runs.append(Run(offset: bytes.count, source: range, isEscape: false))
        bytes += source[range]
    }

    /// Appends the meaning of an escape.
    package mutating func append(_ text: some Sequence<UInt8>, from source: Range<Int>) {
        runs.append(Run(offset: bytes.count, source: source, isEscape: true))
        bytes += text
        hasEscapes = true
    }

    /// Returns the bytes of the source that produce a range of this text.
    package func source(of range: Range<Int>) -> Range<Int> {
        guard let first = run(at: range.lowerBound) else { return 0..<0 }
        let start = first.source.lowerBound
        let lower = first.isEscape ? start : start + range.lowerBound - first.offset
        guard !range.isEmpty, let last = run(at: range.upperBound - 1) else { return lower..<lower }
        return
            lower..<(last.isEscape
            ? last.source.upperBound
            : last.source.lowerBound + range.upperBound - last.offset)
    }

    private func run(at offset: Int) -> Run? {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].offset <= offset { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : runs[low - 1]
    }
}

extension UnescapedText {
    /// Resolves percent escapes, and keeps malformed ones.
    package init(
        percentEncoded range: Range<Int>, of source: [UInt8], plusIsSpace: Bool = false
    ) {
        let marks = plusIsSpace ? Self.percentOrPlus : Self.percent
        var (start, index) = (range.lowerBound, range.lowerBound)
        while true {
            index = source.index(of: marks, in: index..<range.upperBound)
            guard index < range.upperBound else { break }
            let end: Int
            let byte: UInt8
            if source[index] == UInt8(ascii: "+") {
                (end, byte) = (index + 1, UInt8(ascii: " "))
            } else if index + 2 < range.upperBound,
                let high = hexValue(of: source[index + 1]),
                let low = hexValue(of: source[index + 2])
            {
                (end, byte) = (index + 3, high << 4 | low)
            } else {
                hasMalformedEscapes = true
                index += 1
                continue
            }
            copy(start..<index, of: source)
            append(CollectionOfOne(byte), from: index..<end)
            (start, index) = (end, end)
        }
        copy(start..<range.upperBound, of: source)
    }

    /// Resolves the escapes in a JSON string without its quotes, and keeps malformed ones.
    package init(json range: Range<Int>, of source: [UInt8]) {
        var (start, index) = (range.lowerBound, range.lowerBound)
        while true {
            index = source.index(of: Self.backslash, in: index..<range.upperBound)
            guard index < range.upperBound else { break }
            guard let (scalar, end) = Self.jsonEscape(at: index, in: range, of: source) else {
                hasMalformedEscapes = true
                // The byte after a backslash is never the start of another escape.
                index = min(index + 2, range.upperBound)
                continue
            }
            copy(start..<index, of: source)
            append(UTF8.encode(scalar).map(Array.init) ?? [], from: index..<end)
            (start, index) = (end, end)
        }
        copy(start..<range.upperBound, of: source)
    }

    private static func jsonEscape(
        at index: Int, in range: Range<Int>, of source: [UInt8]
    ) -> (Unicode.Scalar, Int)? {
        guard index + 1 < range.upperBound else { return nil }
        let letter = source[index + 1]
        guard letter == UInt8(ascii: "u") else {
            return simpleEscapes[letter].map { ($0, index + 2) }
        }
        guard let unit = codeUnit(at: index, in: range, of: source) else { return nil }
        if let scalar = Unicode.Scalar(unit) { return (scalar, index + 6) }
        guard unit < 0xDC00, index + 7 < range.upperBound, source[index + 6] == letterBackslash,
            source[index + 7] == UInt8(ascii: "u"),
            let low = codeUnit(at: index + 6, in: range, of: source), (0xDC00...0xDFFF) ~= low,
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { return nil }
        return (scalar, index + 12)
    }

    private static func codeUnit(
        at index: Int, in range: Range<Int>, of source: [UInt8]
    ) -> UInt32? {
        guard index + 6 <= range.upperBound else { return nil }
        return source[(index + 2)..<(index + 6)].reduce(UInt32?(0)) { unit, byte in
            guard let unit, let digit = hexValue(of: byte) else { return nil }
            return unit << 4 | UInt32(digit)
        }
    }

    private static let percent = ByteSet("%")
    private static let percentOrPlus = ByteSet("%+")
    private static let backslash = ByteSet("\\")
    private static let letterBackslash = UInt8(ascii: "\\")
    private static let simpleEscapes: [UInt8: Unicode.Scalar] = [
        UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/",
        UInt8(ascii: "b"): "\u{8}", UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n",
        UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]
}

private func hexValue(of byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
}
