import Dispatch
import Foundation

/// A response with a validator, and the properties of the requests that it matches.
final class StoredResponse: Sendable {
    let key: RequestIdentity
    let http: HTTPURLResponse
    let body: Data
    /// The time at which the response arrived or was revalidated, in nanoseconds.
    // Comparing the instants of a clock takes three times as long.
    let lastUse = DispatchTime.now().uptimeNanoseconds
    /// The estimated size in bytes.
    let cost: Int
    /// The header fields of the response, stored because their conversion to text is slow.
    private let headers: [String: String]

    /// Creates a stored response, or `nil` if it has no validator that can be sent, or must not be stored.
    init?(for key: RequestIdentity, http: HTTPURLResponse, body: Data) {
        let varying = FieldReader.words(of: http.value(forHTTPHeaderField: "Vary"))
        let validators = Self.validators.compactMap { http.value(forHTTPHeaderField: $0) }
        // The key has all other fields, so it distinguishes the variants of a response.
        guard !validators.isEmpty, validators.allSatisfy(\.isFieldValue), !varying.contains("*"),
            URLRequest.attemptFields.isDisjoint(with: varying),
            !FieldReader.words(of: http.value(forHTTPHeaderField: "Cache-Control"))
                .contains("no-store")
        else { return nil }
        self.key = key
        self.http = http
        self.body = body
        headers = http.headers
        let fields =
            key.fields.map { $0.key.utf8.count + $0.value.count }
            + headers.map { $0.key.utf8.count + $0.value.utf8.count }
        // The objects take 512 bytes, and an element of a collection takes 64.
        cost = fields.reduce(key.url.utf8.count + body.count + 512) { $0 + $1 + 64 }
    }

    /// Returns the response head with the updates of a 304, or `nil` if the 304 does not match.
    ///
    /// It does not match if its validator differs (RFC 9111, section 4.3.4). Nor does it match if
    /// it comes from another URL: the entity tags of two resources may be equal by chance.
    func head(updatedBy notModified: HTTPURLResponse) -> HTTPURLResponse? {
        guard let url = http.url, notModified.url?.withoutFragment == url.withoutFragment,
            hasValidator(of: notModified)
        else { return nil }
        let updates = notModified.headers.filter { name, value in
            headers[name] != value && !Self.fixedHeaders.contains(name.lowercased())
        }
        // Making a head takes longer than all else.
        guard !updates.isEmpty else { return http }
        let names = Set(updates.keys.map { $0.lowercased() })
        let kept = headers.filter { !names.contains($0.key.lowercased()) }
        return HTTPURLResponse(
            url: url, statusCode: 200, httpVersion: "HTTP/1.1",
            headerFields: kept.merging(updates) { $1 })
    }

    private func hasValidator(of other: HTTPURLResponse) -> Bool {
        for name in Self.validators {
            guard let mine = http.single(name),
                let theirs = other.single(name)
            else { continue }
            return EntityTag.isMatch(mine, theirs)
        }
        return true
    }

    private static let validators = ["ETag", "Last-Modified"]

    /// The header fields that a 304 does not update, because they describe its connection or the
    /// stored bytes (RFC 9111, section 3.2).
    private static let fixedHeaders: Set = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade", "content-length",
        "content-encoding", "content-range", "content-type",
    ]
}
