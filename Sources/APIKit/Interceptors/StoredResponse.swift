import Foundation

/// A response with a validator, and the query that it answers.
final class StoredResponse: Sendable {
    /// The URL of the request, without its fragment.
    let url: String
    let http: HTTPURLResponse
    let body: Data
    /// The headers that make a request for the same a conditional one.
    let conditions: [String: String]
    /// The bytes that it takes up, estimated.
    let cost: Int
    /// The account and the secret header fields of the request.
    private let user: [String: String]
    /// The header fields that `Vary` names, with their values in the request.
    private let selectingFields: [String: String?]

    /// Creates a response of status 200 to keep, unless that is forbidden or of no use.
    init?(to query: CacheQuery, http: HTTPURLResponse, body: Data) {
        let conditions = [
            "If-None-Match": http.value(forHTTPHeaderField: "ETag"),
            "If-Modified-Since": http.value(forHTTPHeaderField: "Last-Modified"),
        ].compactMapValues { $0 }
        let varying = HeaderList(http.value(forHTTPHeaderField: "Vary")).words
        guard !conditions.isEmpty, !varying.contains("*"),
            !HeaderList(http.value(forHTTPHeaderField: "Cache-Control")).words.contains("no-store")
        else { return nil }
        url = query.url
        user = query.user
        self.http = http
        self.body = body
        self.conditions = conditions
        selectingFields = varying.reduce(into: [:]) { fields, name in
            fields[name] = .some(query.fields[name])
        }
        cost =
            url.utf8.count + body.count + Self.overhead + Self.cost(of: user)
            + Self.cost(of: http.headers)
    }

    /// Whether the response is one to a query for its URL (RFC 9111, section 4.1).
    func answers(_ query: CacheQuery) -> Bool {
        user == query.user
            && selectingFields.allSatisfy { name, value in query.fields[name] == value }
    }

    /// Returns the head with what a 304 brought, or `nil` if that 304 is not about this response.
    ///
    /// It is about another if its validator says so (RFC 9111, section 4.3.4), or if a redirect
    /// led elsewhere this time: entity tags of two resources may be equal by chance.
    func head(updatedBy notModified: HTTPURLResponse) -> HTTPURLResponse? {
        guard notModified.url?.withoutFragment == http.url?.withoutFragment,
            hasValidator(of: notModified)
        else { return nil }
        var headers = http.headers
        for (name, value) in notModified.headers
        where !Self.keptHeaders.contains(name.lowercased()) {
            for old in headers.keys where old.lowercased() == name.lowercased() {
                headers[old] = nil
            }
            headers[name] = value
        }
        return http.url.flatMap {
            HTTPURLResponse(
                url: $0, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: headers)
        }
    }

    private func hasValidator(of other: HTTPURLResponse) -> Bool {
        func pair(_ name: String) -> (String, String)? {
            guard let mine = http.value(forHTTPHeaderField: name),
                let theirs = other.value(forHTTPHeaderField: name)
            else { return nil }
            return (mine, theirs)
        }
        if let (mine, theirs) = pair("ETag") { return mine.opaqueTag == theirs.opaqueTag }
        if let (mine, theirs) = pair("Last-Modified") { return mine == theirs }
        return true
    }

    /// What a response takes up besides its text: objects, and the places in collections.
    private static let overhead = 512

    private static func cost(of fields: [String: String]) -> Int {
        fields.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 64 }
    }

    /// The headers that a 304 does not change: those of the connection it came by, and those that
    /// describe the stored bytes (RFC 9111, section 3.2).
    private static let keptHeaders: Set = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade", "content-length",
        "content-encoding", "content-range", "content-type",
    ]
}

extension String {
    /// An entity tag without the mark of a weak one (RFC 9110, section 8.8.3.2).
    fileprivate var opaqueTag: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }
}
