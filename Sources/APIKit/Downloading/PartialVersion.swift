import Foundation

/// The identity and the version of the resource in a partial file.
///
/// The file beside the partial file holds it as JSON: a random salt, the salted hash of the
/// ``RepresentationIdentity``, the validator, and the salted hash of the URL after all redirects.
/// The hashes keep secrets, such as a token in the query, off the disk.
struct PartialVersion: Codable {
    private let salt: Data
    private let digest: Data
    private let sourceDigest: Data
    /// An `ETag` or a `Last-Modified`, for `If-Range`.
    let validator: String
    /// Whether the version is written to disk, for later calls.
    let isStored: Bool

    /// Creates the version of a response.
    ///
    /// - Parameters:
    ///   - identity: The identity of the request.
    ///   - validator: The strong validator of the response.
    ///   - source: The URL of the response, after all redirects.
    init(of identity: RepresentationIdentity, validator: String, source: URL?) {
        salt = Data((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        digest = Self.digest(of: identity.parts, salt: salt)
        sourceDigest = Self.digest(of: [Self.path(of: source)], salt: salt)
        self.validator = validator
        isStored = identity.outlivesCall
    }

    /// Reads the version that an earlier download stored, if it is intact.
    init?(readFrom url: URL) {
        // Without a version, the download starts over, so no error matters.
        guard let file = try? url.openFile(O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            (try? file.status().isPrivate) == true,
            let data = try? file.read(upToCount: 65_536),
            let version = try? JSONDecoder().decode(Self.self, from: data), version.isStored
        else { return nil }
        self = version
    }

    func write(to url: URL) throws {
        let file = try url.openFile(O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o600)
        try file.write(contentsOf: JSONEncoder().encode(self))
        try file.close()
    }

    func matches(_ identity: RepresentationIdentity) -> Bool {
        Self.digest(of: identity.parts, salt: salt) == digest
    }

    /// Whether the bytes came from this URL (after all redirects), compared without its query.
    ///
    /// A validator identifies a version of one resource only (RFC 9110, section 8.8).
    func matches(source: URL?) -> Bool {
        Self.digest(of: [Self.path(of: source)], salt: salt) == sourceDigest
    }

    /// Returns the text of a URL without its query, which often holds a new signature.
    private static func path(of source: URL?) -> String {
        String(source?.absoluteString.prefix { $0 != "?" && $0 != "#" } ?? "")
    }

    private static func digest(of parts: [String], salt: Data) -> Data {
        // The length before each part distinguishes two parts from one longer part.
        let message = parts.reduce(salt) { $0 + Data("\($1.utf8.count):\($1)".utf8) }
        return SHA256.digest(of: message)
    }
}

/// The start of a resource in a partial file, to which the rest of that version can be appended.
struct PartialStart {
    let size: Int
    let version: PartialVersion

    /// Asks for the rest, or for the whole resource if its version has changed.
    func requestRest(in request: inout URLRequest) {
        request.setValue("bytes=\(size)-", forHTTPHeaderField: "Range")
        request.setValue(version.validator, forHTTPHeaderField: "If-Range")
    }

    /// Returns the range of a response if its header fields agree that it is the rest (RFC 9110,
    /// section 15.3.7).
    func rest(in response: HTTPURLResponse) -> ContentRange? {
        let validator = version.validator
        let name = validator.hasPrefix("\"") ? "ETag" : "Last-Modified"
        // A server may omit the validator, or ignore the one in the request.
        let current = response.value(forHTTPHeaderField: name) ?? validator
        guard response.statusCode == 206, response.isIdentity, current == validator,
            version.matches(source: response.url),
            let range = ContentRange(response), range.first == size
        else { return nil }
        return range
    }
}

/// The representation that a request selects, for the account that sends it.
///
/// A download can continue another download of the same identity. The identity consists of the URL,
/// the account and the header fields. It omits the fields that identify a single attempt. If the
/// account is known, it also omits the values of credentials, so that a download continues with a
/// new token.
struct RepresentationIdentity {
    /// The URL, the account and the fields, which may be secrets.
    let parts: [String]

    /// Whether a later call can have the same identity.
    ///
    /// Credentials without an account identify a user only until they change, and must not be stored.
    /// So they belong to the identity only within a call.
    let outlivesCall: Bool

    /// Creates the identity of a call as the transport receives it, if it can be resumed.
    init?(of call: APICall) {
        let (request, sentFields) = (call.request, call.sentFields)
        guard request.method == .get, let url = request.url,
            request.httpBody == nil, request.httpBodyStream == nil, sentFields["range"] == nil
        else { return nil }
        let hasCredentials = sentFields.keys.contains(where: Redaction.hidesHeader)
        let outlivesCall =
            call.account != nil || !hasCredentials && !call.mayAddUnknownFields
        let fields = sentFields.filter { name, _ in
            Redaction.hidesHeader(name) ? !outlivesCall : !APICall.attemptFields.contains(name)
        }
        parts =
            [url.absoluteString, call.account.map { "account: \($0)" } ?? ""]
            + fields.map { "\($0): \($1)" }.sorted()
        self.outlivesCall = outlivesCall
    }
}
