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
        guard base.scheme != nil, base.host != nil,
            var components = URLComponents(url: base, resolvingAgainstBaseURL: true),
            let relative = URLComponents(url: self, resolvingAgainstBaseURL: false)
        else {
            throw APIError(
                .invalidRequest(
                    "the base URL of the client, \(Redaction.text(of: base)), is not absolute"))
        }
        let path = relative.percentEncodedPath
        guard !path.split(separator: "/").contains(where: isDotSegment) else {
            throw APIError(.invalidRequest("its path would leave the base URL"))
        }
        if !path.isEmpty {
            var basePath = Substring(components.percentEncodedPath)
            while basePath.hasSuffix("/") { basePath.removeLast() }
            components.percentEncodedPath = basePath + "/" + path.drop { $0 == "/" }
        }
        let queries = [components.percentEncodedQuery, relative.percentEncodedQuery]
            .compactMap { $0 }.filter { !$0.isEmpty }
        components.percentEncodedQuery = queries.isEmpty ? nil : queries.joined(separator: "&")
        components.percentEncodedFragment = relative.percentEncodedFragment
        guard let url = components.url else {
            throw APIError(.invalidRequest("its path does not fit below the base URL"))
        }
        return url
    }
}

/// Tells whether a segment means "here" or "one up", also in its encoded spelling.
private func isDotSegment(_ segment: Substring) -> Bool {
    let plain = segment.replacingOccurrences(of: "%2e", with: ".", options: .caseInsensitive)
    return plain == "." || plain == ".."
}
