import Foundation

extension HTTPURLResponse {
    /// Returns the target of a link with a relation, such as the next page (RFC 8288).
    ///
    /// The target is resolved as by ``resolve(_:)``, and can be on any host. ``BearerAuthentication``
    /// sends its token only to the hosts that you allow.
    ///
    /// Links whose `anchor` is not the URL of this response are ignored, and so are links that are
    /// not HTTP URLs. The search ends at the first part that is not a valid link.
    ///
    /// - Parameter relation: The relation type, in any case, such as `next` or `prev`.
    /// - Returns: The target of the first such link, or `nil` if there is none.
    public func link(relation: String) -> URL? {
        let relation = relation.lowercased()[...]
        for link in LinkHeader(value(forHTTPHeaderField: "Link") ?? "")
        where link.relations.contains(relation) && isAbout(anchor: link.parameters["anchor"]) {
            if let url, let target = URL(link: link.target, relativeTo: url) { return target }
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
    /// name any host, and the client sends its header fields to that host too. Characters that a URL
    /// cannot contain are percent-encoded, and an internationalized host becomes ASCII.
    ///
    /// - Parameter reference: An absolute URL, or a reference such as `?page=2`.
    /// - Returns: An absolute URL, with the scheme `http` or `https`.
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/invalidRequest(_:)`` if the link is not a
    ///   URL with one of these schemes and a host.
    public func resolve(_ reference: String) throws -> URL {
        if let url, let target = URL(link: reference, relativeTo: url) { return target }
        let text = URL(string: URLReference(reference).encoded).map { Redaction.text(of: $0) }
        let link = text.map { "the link \($0)" } ?? "a link in the response"
        throw APIError(.invalidRequest("\(link) is not an HTTP URL"), response: self)
    }

    private func isAbout(anchor: String?) -> Bool {
        guard let anchor, let url else { return true }
        return URL(link: anchor, relativeTo: url) == URL(link: "", relativeTo: url)
    }
}
