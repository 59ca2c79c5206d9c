import Foundation

extension HTTPURLResponse {
    /// Returns where the response links to by a relation, as to the next page (RFC 8288).
    ///
    /// The target is resolved against the URL of the response, and may be on any host that the
    /// server names. ``BearerAuthentication`` sends its token only to yours.
    ///
    /// Links about something else than this response, by an `anchor` that is not its URL, are left
    /// out. What cannot be read ends the header.
    ///
    /// - Parameter relation: The relation type, in any case, such as `next` or `prev`.
    /// - Returns: The target of the first such link, or `nil` if there is none.
    public func link(_ relation: String) -> URL? {
        let relation = relation.lowercased()[...]
        return LinkHeader(value(forHTTPHeaderField: "Link") ?? "")
            .first { $0.relations.contains(relation) && isAbout(anchor: $0.parameters["anchor"]) }
            .flatMap { resolve($0.target) }
    }

    private func isAbout(anchor: String?) -> Bool {
        guard let anchor else { return true }
        return resolve(anchor)?.absoluteString == url?.absoluteString
    }

    private func resolve(_ reference: String) -> URL? {
        // The empty reference is the response itself (RFC 3986, section 5.2.2), but no URL here.
        guard !reference.isEmpty else { return url }
        return URL(reference: reference, relativeTo: url)?.absoluteURL
    }
}
