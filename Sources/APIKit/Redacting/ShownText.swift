import Foundation

extension String {
    /// The text with each run of white space, line breaks and control characters as one space.
    ///
    /// Characters that set the direction of a text count as control characters, because they would
    /// change the order of the whole line.
    var onOneLine: String {
        // A fast path for one line of ASCII, because iterating over characters is slow.
        var previous = UInt8(ascii: " ")
        let isOneLine = utf8.allSatisfy { byte in
            defer { previous = byte }
            return (0x20..<0x7F).contains(byte) && (byte != 0x20 || previous != 0x20)
        }
        guard !isOneLine || previous == 0x20 else { return self }
        return split { character in
            character.isWhitespace
                || character.unicodeScalars.contains {
                    $0.properties.generalCategory == .control || $0.properties.isBidiControl
                }
        }
        .joined(separator: " ")
    }

    /// Returns the start of the text, with an ellipsis in place of the rest.
    ///
    /// The result has at most as many Unicode scalars as the limit.
    package func shortened(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        // Not characters, because one of them can have any number of scalars.
        let start = unicodeScalars.prefix(limit)
        return start.endIndex == endIndex ? self : String(start.dropLast()) + "…"
    }
}

extension Data {
    /// Returns the first bytes up to a limit, without a part of a UTF-8 character at the end.
    func prefixOfText(upTo limit: Int) -> Data {
        guard count > limit else { return self }
        var end = startIndex + limit
        while end > startIndex, self[end] & 0b1100_0000 == 0b1000_0000 { end -= 1 }
        return self[..<end]
    }
}
