/// A text without its escapes, and the source of each of its bytes.
package struct UnescapedText {
    /// Consecutive bytes that are a copy, or that one escape produces.
    private typealias Run = (offset: Int, source: Range<Int>, isEscape: Bool)

    package private(set) var bytes: [UInt8] = []
    /// Whether an escape was resolved.
    package private(set) var hasEscapes = false
    private var runs: [Run] = []

    /// Copies a range of the source, and resolves its escapes.
    ///
    /// - Parameters:
    ///   - range: The range.
    ///   - source: The source.
    ///   - marks: The bytes that start an escape.
    ///   - skipped: The number of bytes to copy unchanged at a malformed escape.
    ///   - resolve: Appends the meaning of the escape at an index, and returns the index after it, or
    ///     `nil` for a malformed one.
    private mutating func copy(
        _ range: Range<Int>, of source: [UInt8], at marks: ByteSet, skipping skipped: Int = 1,
        resolve: (_ index: Int, _ text: inout [UInt8]) -> Int?
    ) {
        var (start, index) = (range.lowerBound, range.lowerBound)
        while true {
            index = source.index(of: marks, in: index..<range.upperBound)
            if start < index {
                runs.append((offset: bytes.count, source: start..<index, isEscape: false))
                bytes += source[start..<index]
            }
            guard index < range.upperBound else { return }
            start = index
            let offset = bytes.count
            guard let end = resolve(index, &bytes) else {
                index = min(index + skipped, range.upperBound)
                continue
            }
            runs.append((offset: offset, source: index..<end, isEscape: true))
            hasEscapes = true
            (start, index) = (end, end)
        }
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
    /// Returns one unescaped copy of a text for each kind of escape in it: URL, JSON and markup.
    package static func layers(of range: Range<Int>, of source: [UInt8]) -> [UnescapedText] {
        let start = source.index(of: escapes, in: range)
        let rest = source[start..<range.upperBound]
        var layers: [UnescapedText] = []
        if rest.contains(UInt8(ascii: "%")) {
            layers.append(UnescapedText(percentEncoded: range, of: source))
        }
        if rest.contains(UInt8(ascii: "\\")) {
            layers.append(UnescapedText(json: range, of: source))
        }
        if rest.contains(UInt8(ascii: "&")) {
            layers.append(UnescapedText(markup: range, of: source))
        }
        return layers.filter(\.hasEscapes)
    }

    /// Resolves percent escapes, and keeps malformed ones.
    package init(
        percentEncoded range: Range<Int>, of source: [UInt8], plusIsSpace: Bool = false
    ) {
        copy(range, of: source, at: plusIsSpace ? Self.percentOrPlus : Self.percent) {
            index, text in
            if source[index] == UInt8(ascii: "+") {
                text.append(UInt8(ascii: " "))
                return index + 1
            }
            guard index + 2 < range.upperBound, let high = source[index + 1].hexDigitValue,
                let low = source[index + 2].hexDigitValue
            else { return nil }
            text.append(high << 4 | low)
            return index + 3
        }
    }

    /// Resolves the escapes in a JSON string without its quotes, and keeps malformed ones.
    package init(json range: Range<Int>, of source: [UInt8]) {
        // The byte after a backslash is never the start of another escape.
        copy(range, of: source, at: Self.backslash, skipping: 2) { index, text in
            let escape = source.withUnsafeBufferPointer {
                JSONEscape(at: index, of: $0, upTo: range.upperBound)
            }
            guard let escape, let scalar = escape.scalar else { return nil }
            text.append(contentsOf: scalar.utf8)
            return escape.end
        }
    }

    /// Resolves the character references that are common in XML and HTML.
    package init(markup range: Range<Int>, of source: [UInt8]) {
        copy(range, of: source, at: Self.ampersand) { index, text in
            let limit = min(index + 10, range.upperBound)
            let end = source.index(of: .semicolon, in: index..<limit)
            let name = String(decoding: source[(index + 1)..<max(index + 1, end)], as: UTF8.self)
            guard end < limit, let scalar = Self.reference(name) else { return nil }
            text.append(contentsOf: scalar.utf8)
            return end + 1
        }
    }

    private static func reference(_ name: String) -> Unicode.Scalar? {
        if let scalar = references[name] { return scalar }
        guard name.hasPrefix("#") else { return nil }
        let isHex = name.dropFirst().lowercased().hasPrefix("x")
        return UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10)
            .flatMap(Unicode.Scalar.init)
    }

    private static let references: [String: Unicode.Scalar] = [
        "quot": "\"", "amp": "&", "lt": "<", "gt": ">", "apos": "'",
    ]
    private static let escapes = ByteSet("%\\&")
    private static let ampersand = ByteSet("&")
    private static let percent = ByteSet("%")
    private static let percentOrPlus = ByteSet("%+")
    private static let backslash = ByteSet("\\")
}
