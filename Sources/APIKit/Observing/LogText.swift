import Foundation

extension String {
    /// The text with a space for each run of white space, line breaks and control characters.
    var onOneLine: String {
        // Most texts are one line of ASCII already, and looking at characters is slow.
        let isOneLine = utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !hasSuffix(" ")
        guard !isOneLine || contains("  ") || hasPrefix(" ") else { return self }
        return split { character in
            character.isWhitespace
                || character.unicodeScalars.contains { $0.properties.generalCategory == .control }
        }
        .joined(separator: " ")
    }
}

extension Int {
    /// The number with commas between thousands.
    var grouped: String {
        let digits = Array(String(self))
        return digits.indices.reduce(into: "") { text, index in
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digits[index])
        }
    }
}

extension Duration {
    /// The duration in milliseconds, or from a second on in seconds with one decimal.
    var rounded: String {
        // No log needs more than 30,000 years, and an integer cannot hold all of them.
        let milliseconds = Int(max(-1e15, min((self / .milliseconds(1)).rounded(), 1e15)))
        guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
        let tenths = (milliseconds + 50) / 100
        return "\((tenths / 10).grouped).\(tenths % 10) s"
    }
}

extension Data {
    /// The first bytes, as many as fit without cutting through a character of UTF-8.
    func prefixOfText(upTo limit: Int) -> Data {
        guard count > limit else { return self }
        var end = startIndex + limit
        while end > startIndex, self[end] & 0b1100_0000 == 0b1000_0000 { end -= 1 }
        return self[..<end]
    }
}
