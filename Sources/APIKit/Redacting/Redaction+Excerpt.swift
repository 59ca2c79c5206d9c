extension Redaction {
    /// Returns the start of a text on one line, with its secrets masked.
    ///
    /// A description contains excerpts of texts from a server, which can have any length.
    static func excerpt(of text: String, upTo limit: Int) -> String {
        // Masking a long text is slow. The margin contains the end of a secret at the limit.
        let start = String(text.unicodeScalars.prefix(16 * limit))
        return secrets.text(ofValue: start).onOneLine.shortened(to: limit)
    }
}
