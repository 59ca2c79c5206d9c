import Foundation

extension HTTPURLResponse {
    /// Returns the target of a link with a relation, such as the next page (RFC 8288).
    ///
    /// The target is resolved as by ``resolve(_:)``, and can be on any host. ``BearerAuthentication``
    /// sends its token only to the hosts that you allow.
    ///
    /// Links whose `anchor` is not the URL of this response are ignored, and so are links that are
    /// empty or not HTTP URLs. As in browsers, a value can have single quotes: `rel='next'`. The
    /// search ends at the first part that is not a valid link.
    ///
    /// - Parameter relation: The relation type, in any case, such as `next` or `prev`.
    /// - Returns: The target of the first such link, or `nil` if there is none.
    public func link(relation: String) -> URL? {
        guard let url else { return nil }
        var reader = FieldReader(value(forHTTPHeaderField: "Link") ?? "")
        while let (target, parameters) = reader.readLink() {
            let relations = parameters["rel", default: ""].lowercased()
                .split(whereSeparator: \.isWhitespace)
            // RFC 3986 resolves an empty target to this response: pages would never end.
            if relations.contains(relation.lowercased()[...]), !target.isEmpty,
                URL(link: parameters["anchor"] ?? "", relativeTo: url)
                    == URL(link: "", relativeTo: url),
                let target = URL(link: target, relativeTo: url)
            {
                return target
            }
        }
        return nil
    }

    /// Resolves a link that the server sent in this response (RFC 3986, section 5).
    ///
    /// ```swift
    /// let next = try page.http.resolve(page.value.next)  // "/v1/dogs?page=2"
    /// ```
    ///
    /// The link is relative to the URL of this response, and not to the base URL of a client. It can
    /// name any host. A client with a base URL sends that host its header fields, without credentials.
    /// Characters that a URL cannot contain are percent-encoded. From macOS 14 and iOS 17 on, an internationalized
    /// host becomes ASCII. Earlier systems refuse it.
    ///
    /// - Parameter reference: An absolute URL, or a reference such as `?page=2`.
    /// - Returns: An absolute URL, with the scheme `http` or `https`.
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/invalidRequest(_:)`` if the link is not a
    ///   URL with one of these schemes and a host.
    public func resolve(_ reference: String) throws -> URL {
        if let url, let target = URL(link: reference, relativeTo: url) { return target }
        let text = URL(foreign: reference).map { Redaction.masked($0) }
        let link = text.map { "the link \($0)" } ?? "a link in the response"
        throw APIError(.invalidRequest("\(link) is not an HTTP URL"), response: self)
    }
}

extension URL {
    /// Creates the URL of a link that a resource contains (RFC 3986, section 5).
    ///
    /// Returns `nil` if the result is not an `http` or `https` URL with a host.
    ///
    /// - Parameters:
    ///   - link: An absolute URL or a relative reference.
    ///   - base: The URL of the resource.
    init?(link: String, relativeTo base: URL) {
        guard let url = URL(foreign: link, relativeTo: base)?.absoluteURL,
            ["http", "https"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false
        else { return nil }
        // An absolute link can have dot segments too.
        self = url.standardized
    }
}

extension FieldReader {
    /// Reads the next link of a `Link` header field (RFC 8288, section 3 and appendix B).
    ///
    /// - Returns: The target as written, and the first value of each parameter by its name in lower
    ///   case, or `nil` if no link follows.
    mutating func readLink() -> (target: String, parameters: [String: String])? {
        // An element of a list may be empty (RFC 9110, section 5.6.1).
        while skip(",") {}
        guard skip("<") else { return nil }
        let target = read(until: ">")
        guard skip(">") else { return nil }
        // As in browsers. RFC 9110 has only double quotes.
        return (target, readParameters(until: " \t;,", quotes: "\"'"))
    }
}
