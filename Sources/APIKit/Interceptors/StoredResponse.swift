import Foundation

/// A response with a validator, and the properties of the requests that it matches.
final class StoredResponse: Sendable {
    /// The URL of the request, without its fragment.
    let url: String
    let http: HTTPURLResponse
    let body: Data
    /// The header fields that make a request conditional.
    let conditions: [String: String]
    /// The estimated size in bytes.
    let cost: Int
    /// The account and the secret header fields of the request.
    private let credentials: [String: String]
    /// The header fields of the response, stored because their conversion to text is slow.
    private let headers: [String: String]
    /// The request's values of the header fields that `Vary` names.
    private let selectingFields: [String: String?]

    /// Creates a stored response, or `nil` if it has no validator or must not be stored.
    init?(for key: CacheKey, http: HTTPURLResponse, body: Data) {
        let conditions = [
            "If-None-Match": http.value(forHTTPHeaderField: "ETag"),
            "If-Modified-Since": http.value(forHTTPHeaderField: "Last-Modified"),
        ].compactMapValues { $0 }
        let varying = HeaderList(http.value(forHTTPHeaderField: "Vary")).words
        guard !conditions.isEmpty, !varying.contains("*"),
            !HeaderList(http.value(forHTTPHeaderField: "Cache-Control")).words.contains("no-store")
        else { return nil }
        url = key.url
        credentials = key.credentials
        self.http = http
        headers = http.headers
        self.body = body
        self.conditions = conditions
        selectingFields = varying.reduce(into: [:]) { fields, name in
            fields[name] = .some(key.fields[name])
        }
        cost =
            url.utf8.count + body.count + Self.overhead + Self.cost(of: credentials)
            + Self.cost(of: headers)
    }

    /// Whether the response matches a request for its URL (RFC 9111, section 4.1).
    func matches(_ key: CacheKey) -> Bool {
        credentials == key.credentials
            && selectingFields.allSatisfy { name, value in key.fields[name] == value }
    }

    /// Returns the response head with the updates of a 304, or `nil` if the 304 does not match.
    ///
    /// It does not match if its validator differs (RFC 9111, section 4.3.4). Nor does it match if
    /// it comes from another URL: the entity tags of two resources may be equal by chance.
    func head(updatedBy notModified: HTTPURLResponse) -> HTTPURLResponse? {
        guard notModified.url?.withoutFragment == http.url?.withoutFragment,
            hasValidator(of: notModified)
        else { return nil }
        let updates = notModified.headers.filter {
            !Self.fixedHeaders.contains($0.key.lowercased())
        }
        let names = Set(updates.keys.map { $0.lowercased() })
        let kept = headers.filter { !names.contains($0.key.lowercased()) }
        return http.url.flatMap {
            HTTPURLResponse(
                url: $0, statusCode: 200, httpVersion: "HTTP/1.1",
                headerFields: kept.merging(updates) { $1 })
        }
    }

    private func hasValidator(of other: HTTPURLResponse) -> Bool {
        func pair(_ name: String) -> (String, String)? {
            guard let mine = http.value(forHTTPHeaderField: name),
                let theirs = other.value(forHTTPHeaderField: name)
            else { return nil }
            return (mine, theirs)
        }
        if let (mine, theirs) = pair("ETag") { return EntityTag.isMatch(mine, theirs) }
        if let (mine, theirs) = pair("Last-Modified") { return mine == theirs }
        return true
    }

    /// The estimated size in bytes of the objects and collection elements of one response.
    private static let overhead = 512

    private static func cost(of fields: [String: String]) -> Int {
        fields.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 64 }
    }

    /// The header fields that a 304 does not update: those of its connection, and those that
    /// describe the stored bytes (RFC 9111, section 3.2).
    private static let fixedHeaders: Set = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade", "content-length",
        "content-encoding", "content-range", "content-type",
    ]
}
