/// The syntax of methods and header field names.
///
/// A space or a line break in a name would end it early, and the rest would count as another part of
/// the request.
package enum HTTPToken {
    /// Whether a text is a token (RFC 9110, section 5.6.2).
    package static func isValid(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { bytes.contains($0) }
    }

    private static let bytes = ByteSet.alphanumerics.union("!#$%&'*+-.^_`|~")
}

extension String {
    /// Whether the text is valid as the value of a header field (RFC 9110, section 5.5).
    ///
    /// Of the control characters, only a tab is.
    package var isFieldValue: Bool { !utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F } }

    /// Whether a recipient may keep the text as the value of a header field, although it is not valid.
    ///
    /// A receiver would read the text after a line break as another field.
    package var isReceivedFieldValue: Bool { !utf8.contains { $0 == 10 || $0 == 13 || $0 == 0 } }
}
