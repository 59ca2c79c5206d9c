import Dispatch
import Foundation

/// A response with a validator, and the properties of the requests that it matches.
final class StoredResponse: Sendable {
    /// The URL of the request, without its fragment.
    let url: String
    let http: HTTPURLResponse
    let body: Data
    /// The header fields that make a request conditional.
    let conditions: [String: String]
    /// The time at which the response arrived or was revalidated, in nanoseconds.
    // Comparing the instants of a clock takes three times as long.
    let lastUse = DispatchTime.now().uptimeNanoseconds
    /// The estimated size in bytes.
    let cost: Int
    /// The account and the header fields of the request.
    private let identity: [String: [UInt8]]
    /// The header fields of the response, stored because their conversion to text is slow.
    private let headers: [String: String]
    /// The values that the request has for the header fields in `Vary`.
    private let selectingFields: [String: [UInt8]?]

    /// Creates a stored response, or `nil` if it has no validator or must not be stored.
    init?(for key: CacheKey, http: HTTPURLResponse, body: Data) {
        let conditions = [
            "If-None-Match": http.value(forHTTPHeaderField: "ETag"),
            "If-Modified-Since": http.value(forHTTPHeaderField: "Last-Modified"),
        ].compactMapValues { $0 }
        let varying = FieldReader.words(of: http.value(forHTTPHeaderField: "Vary"))
        guard !conditions.isEmpty, !varying.contains("*"),
            !FieldReader.words(of: http.value(forHTTPHeaderField: "Cache-Control"))
                .contains("no-store")
        else { return nil }
        url = key.url
        identity = key.identity
        self.http = http
        headers = http.headers
        self.body = body
        self.conditions = conditions
        selectingFields = varying.reduce(into: [:]) { fields, name in
            fields[name] = .some(key.fields[name].map { Array($0.utf8) })
        }
        cost =
            url.utf8.count + body.count + Self.overhead + Self.cost(of: identity.mapValues(\.count))
            + Self.cost(of: headers.mapValues(\.utf8.count))
    }

    /// Whether the response matches a request for its URL (RFC 9111, section 4.1).
    func matches(_ key: CacheKey) -> Bool {
        identity == key.identity
            && selectingFields.allSatisfy { $1 == key.fields[$0].map { Array($0.utf8) } }
    }

    /// Returns the response head with the updates of a 304, or `nil` if the 304 does not match.
    ///
    /// It does not match if its validator differs (RFC 9111, section 4.3.4). Nor does it match if
    /// it comes from another URL: the entity tags of two resources may be equal by chance.
    func head(updatedBy notModified: HTTPURLResponse) -> HTTPURLResponse? {
        guard let url = http.url, notModified.url?.withoutFragment == url.withoutFragment,
            hasValidator(of: notModified)
        else { return nil }
        let updates = notModified.headers.filter {
            !Self.fixedHeaders.contains($0.key.lowercased())
        }
        let names = Set(updates.keys.map { $0.lowercased() })
        let kept = headers.filter { !names.contains($0.key.lowercased()) }
        return HTTPURLResponse(
            url: url, statusCode: 200, httpVersion: "HTTP/1.1",
            headerFields: kept.merging(updates) { $1 })
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

    private static func cost(of sizes: [String: Int]) -> Int {
        sizes.reduce(0) { $0 + $1.key.utf8.count + $1.value + 64 }
    }

    /// The header fields that a 304 does not update, because they describe its connection or the
    /// stored bytes (RFC 9111, section 3.2).
    private static let fixedHeaders: Set = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade", "content-length",
        "content-encoding", "content-range", "content-type",
    ]
}

/// The properties of a request that select a stored response.
struct CacheKey {
    /// The URL without its fragment, which is never sent.
    let url: String
    /// The header fields as sent, by their names in lower case.
    let fields: [String: String]
    /// The account and the header fields that all attempts share, in the bytes that servers
    /// compare.
    ///
    /// `String` compares by canonical equivalence, so two spellings of `café` are equal.
    let identity: [String: [UInt8]]

    init(_ call: APICall) {
        url = call.request.url?.withoutFragment ?? ""
        fields = call.sentFields
        var identity = fields.filter { !URLRequest.attemptFields.contains($0.key) }
        // This key is unique, because the name of a header field has no space.
        identity["the account"] = call.account
        self.identity = identity.mapValues { Array($0.utf8) }
    }
}
