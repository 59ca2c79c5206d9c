import Foundation

extension URL {
    /// Returns this URL if it is absolute, and otherwise its path below a base URL.
    ///
    /// The relative path follows the path of the base, with one slash between them. (By RFC 3986, a
    /// base without a slash at its end would lose its last component.) The query of the base
    /// precedes the query of the relative URL.
    ///
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/invalidRequest(_:)``.
    package func below(_ base: URL?) throws -> URL {
        guard scheme == nil else { return absoluteURL }
        guard let base else {
            throw APIError(.invalidRequest("its URL is relative and the client has no base URL"))
        }
        guard base.scheme != nil, base.host != nil else {
            throw APIError(
                .invalidRequest(
                    "the base URL of the client, \(Redaction.text(of: base)), lacks a scheme or a host"
                ))
        }
        let relative = URLParts(relativeString)
        guard !relative.path.utf8.split(separator: slash).contains(where: isDotSegment) else {
            throw APIError(.invalidRequest("its path has a \".\" or \"..\" segment"))
        }
        var parts = URLParts(base.absoluteString)
        if !relative.path.isEmpty {
            while parts.path.utf8.last == slash { parts.path.removeLast() }
            parts.path += "/" + Substring(relative.path.utf8.drop { $0 == slash })
        }
        if parts.query?.isEmpty == true { parts.query = nil }
        parts.append(query: relative.query ?? "")
        parts.fragment = relative.fragment
        guard let url = URL(string: parts.text) else {
            throw APIError(.invalidRequest("its path cannot be joined to the base URL"))
        }
        return url
    }
}

// Every call joins its URL, and searching bytes is much faster than searching characters.
private let slash = UInt8(ascii: "/")

/// Returns whether a segment is `.` or `..`, percent-encoded or not.
private func isDotSegment(_ segment: Substring.UTF8View) -> Bool {
    guard segment.first == UInt8(ascii: ".") || segment.first == UInt8(ascii: "%"),
        segment.count <= 6
    else { return false }
    let plain = Substring(segment).lowercased().replacing("%2e", with: ".")
    return plain == "." || plain == ".."
}
