import Foundation

extension URL {
    /// Returns this URL if it is absolute, and otherwise its path below a base URL.
    ///
    /// The relative path follows the path of the base, with one slash between them. Unlike in RFC
    /// 3986, the base keeps its last component, even without a slash at its end. The query of the base
    /// precedes the query of the relative URL. A relative path with a segment `.` or `..` is refused: a
    /// server removes such segments, and the path would leave the base. A reference that starts with a
    /// host, such as `//images.example/x.png`, is refused too.
    ///
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/invalidRequest(_:)``.
    package func below(_ base: URL?) throws -> URL {
        guard scheme == nil else { return absoluteURL }
        guard !relativeString.utf8.starts(with: [slash, slash]) else {
            throw APIError(
                .invalidRequest(
                    """
                    its URL names a host without a scheme; resolve a link in a response with \
                    HTTPURLResponse.resolve(_:)
                    """))
        }
        guard let base else {
            throw APIError(.invalidRequest("its URL is relative and the client has no base URL"))
        }
        guard base.scheme != nil, base.host != nil else {
            throw APIError(
                .invalidRequest(
                    "the base URL of the client, \(Redaction.masked(base)), lacks a scheme or a host"
                ))
        }
        let relative = URLParts(relativeString)
        guard relative.path.utf8.dotSegment == nil else {
            throw APIError(.invalidRequest("its path has a \".\" or \"..\" segment"))
        }
        var parts = URLParts(base.absoluteString)
        if !relative.path.isEmpty {
            while parts.path.utf8.last == slash { parts.path.removeLast() }
            parts.path += "/"
            parts.path += Substring(relative.path.utf8.drop { $0 == slash })
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

/// The text of a URL, split at its query and its fragment.
struct URLParts {
    /// The path, which includes the scheme and the host if the URL is absolute.
    var path: Substring
    var query: Substring?
    var fragment: Substring?

    init(_ text: String) {
        path = text[...]
        fragment = cut(at: UInt8(ascii: "#"))
        query = cut(at: UInt8(ascii: "?"))
    }

    /// Cuts the path at the first occurrence of a byte, and returns the text after it.
    private mutating func cut(at byte: UInt8) -> Substring? {
        guard let start = path.utf8.firstIndex(of: byte) else { return nil }
        defer { path = path[..<start] }
        return Substring(path.utf8[start...].dropFirst())
    }

    /// Appends a query to the existing query.
    mutating func append(query other: Substring) {
        guard !other.isEmpty else { return }
        query = query.map { $0.isEmpty ? other : $0 + "&" + other } ?? other
    }

    var text: String {
        var text = ""
        text.reserveCapacity(
            [path, query, fragment].reduce(0) { $0 + ($1?.utf8.count ?? 0) + 1 })
        text += path
        if let query {
            text += "?"
            text += query
        }
        if let fragment {
            text += "#"
            text += fragment
        }
        return text
    }
}
