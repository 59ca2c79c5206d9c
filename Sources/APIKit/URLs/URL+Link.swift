import Foundation

extension URL {
    /// Creates the URL of a link in the resource at a base URL (RFC 3986, section 5).
    ///
    /// The initializer fails if the result is not an `http` or `https` URL with a host. The system's
    /// parsers differ in what they encode, so the text is encoded here.
    ///
    /// - Parameters:
    ///   - link: An absolute URL or a relative reference.
    ///   - base: The URL of the resource.
    init?(link: String, relativeTo base: URL) {
        let target = URLReference(link).resolved(against: URLReference(base.absoluteString))
        guard ["http", "https"].contains(target.scheme?.lowercased()),
            let url = URL(string: target.encoded), url.host?.isEmpty == false
        else { return nil }
        self = url
    }
}
