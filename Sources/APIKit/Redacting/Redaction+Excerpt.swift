extension Redaction {
    /// Returns the start of a text on one line, with its secrets masked.
    ///
    /// A description contains excerpts of texts from a server, which can have any length.
    static func excerpt(of text: String) -> String {
        let limit = 500
        // Masking a long text is slow. The margin contains the end of a secret at the limit.
        let start = String(text.unicodeScalars.prefix(16 * limit))
        let shown = secrets.text(ofValue: start).onOneLine
        // Scalars, because one `Character` can have any number of them.
        let excerpt = String(shown.unicodeScalars.prefix(limit))
        return excerpt.utf8.count < shown.utf8.count ? excerpt + "…" : shown
    }
}

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
}
