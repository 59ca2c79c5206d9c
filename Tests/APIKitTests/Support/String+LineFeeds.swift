extension String {
    /// The text with a line feed for each CR and CRLF.
    var withLineFeeds: String {
        // In scalars, because CR and LF make one character.
        let scalars = Array(unicodeScalars)
            .replacing(["\r", "\n"], with: ["\n"]).replacing(["\r"], with: ["\n"])
        return String(String.UnicodeScalarView(scalars))
    }
}
