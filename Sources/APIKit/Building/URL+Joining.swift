import Foundation

extension URL {
    /// Returns this URL if it is absolute, and otherwise one below the base URL.
    ///
    /// The relative path goes below the path of the base, whatever slashes either has. (By RFC 3986
    /// a base without a slash at its end would lose its last component.) The query of the base
    /// comes before that of the relative URL.
    ///
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/invalidRequest(_:)``.
    func below(_ base: URL?) throws -> URL {
        guard scheme == nil else { return absoluteURL }
        guard let base else {
            throw APIError(.invalidRequest("its URL is relative and the client has no base URL"))
        }
        guard base.scheme != nil, base.host != nil else {
            throw APIError(
                .invalidRequest(
                    "the base URL of the client, \(Redaction.text(of: base)), is not that of a host"
                ))
        }
        let relative = URLParts(relativeString)
        guard !relative.path.split(separator: "/").contains(where: isDotSegment) else {
            throw APIError(.invalidRequest("its path would leave the base URL"))
        }
        var parts = URLParts(base.absoluteString)
        if !relative.path.isEmpty {
            while parts.path.hasSuffix("/") { parts.path.removeLast() }
            parts.path += "/" + relative.path.drop { $0 == "/" }
        }
        let queries = [parts.query, relative.query].compactMap { $0 }.filter { !$0.isEmpty }
        parts.query = queries.isEmpty ? nil : queries.joined(separator: "&")[...]
        parts.fragment = relative.fragment
        guard let url = URL(string: parts.text) else {
            throw APIError(.invalidRequest("its path does not fit below the base URL"))
        }
        return url
    }
}

/// The text of a URL, cut where its query and its fragment start.
struct URLParts {
    /// What comes first: a path, with a scheme and a host in front if the URL is absolute.
    var path: Substring
    var query: Substring?
    var fragment: Substring?

    init(_ text: String) {
        path = text[...]
        if let start = path.firstIndex(of: "#") {
            fragment = path[path.index(after: start)...]
            path = path[..<start]
        }
        if let start = path.firstIndex(of: "?") {
            query = path[path.index(after: start)...]
            path = path[..<start]
        }
    }

    var text: String {
        path + (query.map { "?\($0)" } ?? "") + (fragment.map { "#\($0)" } ?? "")
    }
}

/// Tells whether a segment means "here" or "one up", also in its encoded spelling.
private func isDotSegment(_ segment: Substring) -> Bool {
    guard segment.count <= 6 else { return false }
    let plain = segment.lowercased().replacing("%2e", with: ".")
    return plain == "." || plain == ".."
}
