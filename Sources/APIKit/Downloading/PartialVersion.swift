import Foundation

/// The identity and the version of the resource in a partial file, stored beside it as JSON.
struct PartialVersion: Codable {
    /// A random value, stored so that the hashes can be made again after a relaunch.
    private let salt: SIMD2<UInt64>
    private let identity: SIMD2<UInt64>
    private let source: SIMD2<UInt64>
    /// An `ETag` or a `Last-Modified`, for `If-Range`.
    let validator: String
    /// The size of the whole resource, if it is known.
    let total: Int?
    let isStored: Bool

    init(
        of identity: RequestIdentity, isStored: Bool, validator: String, total: Int?, source: URL?
    ) {
        salt = .random(in: 0 ... .max)
        self.identity = Self.hash(of: identity, salt)
        self.source = Self.hash(of: source, salt)
        self.validator = validator
        self.total = total
        self.isStored = isStored
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

    func matches(_ identity: RequestIdentity) -> Bool {
        Self.hash(of: identity, salt) == self.identity
    }

    /// Returns the range of a response if it is the rest (RFC 9110, section 15.3.7).
    func rest(after size: Int, in response: HTTPURLResponse) -> ContentRange? {
        // A server may ignore `If-Range`. A part has the `ETag` of the whole, and may omit `Last-Modified`.
        let current =
            validator.hasPrefix("\"")
            ? response.single("ETag") : response.single("Last-Modified") ?? validator
        guard response.statusCode == 206, response.isIdentity, current == validator,
            Self.hash(of: response.url, salt) == source,
            let range = ContentRange(response), range.first == size,
            range.total ?? total == total ?? range.total
        else { return nil }
        return range
    }

    private static func hash(of identity: RequestIdentity, _ salt: SIMD2<UInt64>) -> SIMD2<UInt64> {
        let fields = identity.fields.map { "\($0): \(String(decoding: $1, as: UTF8.self))" }
        return hash([identity.url] + fields.sorted(), salt)
    }

    /// Returns the hash of the URL after redirects.
    ///
    /// A validator identifies a version of one resource only (RFC 9110, section 8.8). The query often
    /// holds a new signature.
    private static func hash(of source: URL?, _ salt: SIMD2<UInt64>) -> SIMD2<UInt64> {
        hash([String(source?.absoluteString.prefix { $0 != "?" && $0 != "#" } ?? "")], salt)
    }

    /// Returns a salted hash of 128 bits, with the steps of FNV-1a and a shift in two lanes.
    ///
    /// It promises that no secret is readable on the disk, and that different identities do not
    /// share a file by chance. It is no cryptography: who reads the file can compute a short secret.
    private static func hash(_ parts: [String], _ salt: SIMD2<UInt64>) -> SIMD2<UInt64> {
        var hash = salt
        for part in parts {
            // The length before each part distinguishes two parts from one longer part.
            for byte in "\(part.utf8.count):\(part)".utf8 {
                hash = (hash ^ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15
                hash ^= hash &>> 29
            }
        }
        return hash
    }
}
