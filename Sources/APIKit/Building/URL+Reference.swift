import Foundation

extension URL {
    /// Creates a URL from a reference in a response, such as a `Location` (RFC 3986, section 4.1).
    ///
    /// Encodes the characters that a URL cannot hold and keeps the escapes that are there. Without
    /// this, `URL(string:)` fails before macOS 14 and iOS 17, and encodes the escapes again since.
    init?(reference: String, relativeTo base: URL?) {
        self.init(string: PercentEncoding.literal(reference), relativeTo: base)
    }
}
