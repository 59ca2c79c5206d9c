import Foundation

/// The scheme, host and port of a URL (RFC 6454).
package struct Origin: Equatable {
    private let scheme: String?
    private let host: String?
    private let port: Int?

    package init(_ url: URL?) {
        scheme = url?.scheme?.lowercased()
        host = url?.host?.lowercased()
        port = url?.port ?? (scheme == "https" ? 443 : scheme == "http" ? 80 : nil)
    }
}

extension URL {
    /// Whether the host is `localhost`, `::1` or an IPv4 address that begins with 127.
    ///
    /// Packets to such an address stay on the machine (RFC 1122, section 3.2.1.3, and RFC 4291,
    /// section 2.5.3).
    var isLoopback: Bool {
        // Some systems return an IPv6 address with its brackets.
        let host = (host ?? "").lowercased().trimmingCharacters(in: ["[", "]"])
        let bytes = host.split(separator: ".", omittingEmptySubsequences: false)
        let isIPv4 =
            bytes.count == 4
            && bytes.allSatisfy { $0.first?.isNumber == true && UInt8($0) != nil }
        return ["localhost", "::1"].contains(host) || isIPv4 && bytes[0] == "127"
    }
}
