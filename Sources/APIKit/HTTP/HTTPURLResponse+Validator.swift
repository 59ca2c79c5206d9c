import Foundation

extension HTTPURLResponse {
    /// The strong validator of the resource, by which its parts can be put together.
    ///
    /// That is a strong `ETag`, or else a `Last-Modified` that is at least a second older than the
    /// response, so that no later change can have the same (RFC 9110, sections 8.8 and 13.1.5).
    var strongValidator: String? {
        if let tag = value(forHTTPHeaderField: "ETag") {
            return tag.hasPrefix("\"") ? tag : nil
        }
        guard let modified = value(forHTTPHeaderField: "Last-Modified"),
            let modifiedDate = HTTPDate.parse(modified),
            let date = value(forHTTPHeaderField: "Date").flatMap(HTTPDate.parse),
            date.timeIntervalSince(modifiedDate) >= 1
        else { return nil }
        return modified
    }
}
