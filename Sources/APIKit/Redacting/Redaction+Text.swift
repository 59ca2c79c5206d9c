import Foundation

extension Redaction {
    /// Returns the text of a URL with its user, password and secret values masked.
    func text(of url: URL) -> String {
        text(ofReference: url.absoluteString)
    }

    /// Returns the value of a header with its secrets masked.
    func text(ofHeader name: String, _ value: String) -> String {
        hidesHeader(name) ? Self.masked(value) : text(ofValue: value)
    }

    /// Returns a text with the secrets masked in its JSON, or otherwise in its URLs.
    package func text(ofValue text: String) -> String {
        // A fast path, because a regular expression is slow.
        guard hidesAnything, text.utf8.contains(where: "?#@;{[".utf8.contains) else { return text }
        if let json = JSONMask(text) { return json.masked(by: self) }
        return text.replacing(/[^\s<>"]+/.matchingSemantics(.unicodeScalar)) {
            self.text(ofReference: String($0.output))
        }
    }

    /// Returns a query or a form with its secrets masked.
    package func text(ofQuery query: String) -> String {
        items(of: query[...], separatedBy: "&")
    }

    // Takes text, because an invalid URL, such as that of a redirect, can contain secrets too.
    private func text(ofReference text: String) -> String {
        guard text.utf8.contains(where: "?#@;".utf8.contains) else { return text }
        var parts = URLParts(text)
        if parts.path.utf8.contains(UInt8(ascii: ";")) {
            // Path parameters (RFC 3986, section 3.3), such as the session ID of a servlet.
            parts.path =
                parts.path.utf8
                .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
                .map { items(of: Substring($0), separatedBy: ";") }
                .joined(separator: "/")[...]
        }
        // Creating the regular expression is slow, so check first that the URL has a user.
        if hidesUsers, parts.path.utf8.contains(UInt8(ascii: "@")) {
            // A text may contain several URLs without a space between them.
            parts.path.replace(/((?:^|:)\/\/+)[^\/]*@/.matchingSemantics(.unicodeScalar)) {
                "\($0.output.1)\(Self.mask)@"
            }
        }
        parts.query = parts.query.map { items(of: $0, separatedBy: "&")[...] }
        parts.fragment = parts.fragment.map { items(of: $0, separatedBy: "&")[...] }
        return parts.text
    }

    private func items(of text: Substring, separatedBy separator: Unicode.Scalar) -> String {
        text.utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
            .map { self.text(ofItem: Substring($0)) }
            .joined(separator: String(separator))
    }

    private func text(ofItem item: Substring) -> Substring {
        guard let end = item.utf8.firstIndex(of: UInt8(ascii: "=")) else { return item }
        let (name, value) = (item[..<end], Substring(item.utf8[end...].dropFirst()))
        let plainName = name.removingPercentEncoding ?? String(name)
        // A fragment may contain a path and a query.
        if hidesItem(named: plainName.split(separator: "?").last ?? "") {
            return "\(name)=\(Self.mask)"
        }
        let plain = value.removingPercentEncoding ?? String(value)
        let shown = text(ofValue: plain)
        guard shown != plain else { return item }
        return
            "\(name)=\(value.utf8.elementsEqual(plain.utf8) ? shown : PercentEncoding.value(shown))"
    }
}
