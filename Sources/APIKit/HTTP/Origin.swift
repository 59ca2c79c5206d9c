import Foundation

/// The scheme, host and port of a URL (RFC 6454).
package struct Origin: Equatable {
    private let scheme: String?
    private let host: String?
    private let port: Int?

    package init(_ url: URL?) {
        scheme = url?.scheme?.lowercased()
        host = url?.host?.lowercased()
        port = url?.port ?? url?.defaultPort
    }
}

extension String {
    /// A host name, or some of its labels, in lower case and in ASCII (RFC 5891).
    ///
    /// Before macOS 14 and iOS 17, `URL` accepts only ASCII, so any other label is only lowercased.
    package var asciiHost: String {
        split(separator: ".", omittingEmptySubsequences: false)
            .map { label in
                let isASCII = label.utf8.allSatisfy { $0 < 0x80 }
                let host = isASCII ? nil : URL(string: "https://\(label)")?.host
                return (host ?? String(label)).lowercased()
            }
            .joined(separator: ".")
    }

    /// A host in ASCII, without the brackets of an IPv6 address, which some systems return.
    package var plainHost: String { asciiHost.trimmingCharacters(in: ["[", "]"]) }
}

extension URL {
    /// The text of the URL without its fragment, which is never sent.
    var withoutFragment: String {
        String(Substring(absoluteString.utf8.prefix { $0 != UInt8(ascii: "#") }))
    }

    /// The port of an HTTP URL that names none (RFC 9110, sections 4.2.1 and 4.2.2).
    package var defaultPort: Int? {
        switch scheme?.lowercased() {
        case "http": 80
        case "https": 443
        default: nil
        }
    }

    /// The host in lower case and in ASCII, without the brackets of an IPv6 address.
    package var plainHost: String { (host ?? "").plainHost }

    /// Whether the host is `localhost`, `::1` or an IPv4 address that begins with 127.
    ///
    /// Packets to such an address stay on the machine (RFC 1122, section 3.2.1.3, and RFC 4291,
    /// section 2.5.3).
    var isLoopback: Bool {
        var address = in_addr()
        return ["localhost", "::1"].contains(plainHost)
            || plainHost.hasPrefix("127.") && inet_pton(AF_INET, plainHost, &address) == 1
    }
}
