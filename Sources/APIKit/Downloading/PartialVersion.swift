import Foundation

/// The version of the resource whose start a partial file holds.
///
/// It is stored beside the partial file as JSON: a random salt, the salted hash of the
/// ``RepresentationIdentity``, the validator, and the salted hash of the URL after all redirects.
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
        digest = identity.digest(salt: salt)
        sourceDigest = Self.digest(of: source, salt: salt)
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
        let file = try url.openFile(
            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o600)
        try file.write(contentsOf: JSONEncoder().encode(self))
        try file.close()
    }

    func matches(_ identity: RepresentationIdentity) -> Bool {
        identity.digest(salt: salt) == digest
    }

    /// Whether the bytes came from this URL (after all redirects), compared without its query.
    ///
    /// A validator identifies a version of one resource only (RFC 9110, section 8.8).
    func matches(source: URL?) -> Bool {
        Self.digest(of: source, salt: salt) == sourceDigest
    }

    /// Returns the salted hash of a URL without its query, which often holds a new signature.
    private static func digest(of source: URL?, salt: Data) -> Data {
        let text = source?.absoluteString.prefix { $0 != "?" && $0 != "#" } ?? ""
        return SHA256.digest(of: salt + Data(text.utf8))
    }
}
