import Foundation

extension String {
    /// The text with each run of white space, line breaks and control characters as one space.
    var onOneLine: String {
        // A fast path for one line of ASCII, because iterating over characters is slow.
        let isOneLine = utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !hasSuffix(" ")
        guard !isOneLine || contains("  ") || hasPrefix(" ") else { return self }
        return split { character in
            character.isWhitespace
                || character.unicodeScalars.contains { $0.properties.generalCategory == .control }
        }
        .joined(separator: " ")
    }

    /// Returns the first characters up to a limit, with an ellipsis for the rest.
    func shortened(to limit: Int) -> String {
        let start = prefix(limit)
        return start.endIndex == endIndex ? self : "\(start)…"
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
