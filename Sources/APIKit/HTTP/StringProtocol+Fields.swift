extension StringProtocol where SubSequence == Substring {
    /// Returns the text before and after the first separator, or the whole text and an empty text.
    // Otherwise another module would call it for any type, which takes many times as long.
    @inlinable
    package func split(at separator: Unicode.Scalar) -> (Substring, Substring) {
        guard let index = utf8.firstIndex(of: UInt8(ascii: separator)) else {
            return (self[...], "")
        }
        return (self[..<index], self[utf8.index(after: index)...])
    }
}

extension StringProtocol {
    /// Whether the text is `1*DIGIT` of RFC 9110.
    package var isDigits: Bool {
        !isEmpty && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
