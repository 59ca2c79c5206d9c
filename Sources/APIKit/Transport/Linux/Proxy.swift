import Foundation

#if canImport(FoundationNetworking)

/// The proxy through which libcurl sends the requests for a URL with https.
///
/// libcurl reads the environment for every transfer
/// (https://curl.se/libcurl/c/CURLOPT_PROXY.html, https://curl.se/libcurl/c/CURLOPT_NOPROXY.html).
struct Proxy {
    /// The host and port, without the credentials.
    let address: String

    /// Creates the proxy, or `nil` if the requests need no tunnel.
    ///
    /// - Parameters:
    ///   - url: The URL of a request.
    ///   - variable: Returns the value of a variable of the environment.
    init?(tunnelingTo url: URL?, variable: (String) -> String? = Self.variable) {
        guard url?.scheme?.lowercased() == "https", let host = url?.host?.lowercased(),
            let setting = Self.settings.lazy.compactMap(variable).first,
            // A SOCKS proxy has no reply that looks like a response.
            !setting.lowercased().hasPrefix("socks")
        else { return nil }
        let exceptions = (variable("no_proxy") ?? variable("NO_PROXY") ?? "").lowercased()
        for name in exceptions.split(whereSeparator: { $0 == "," || $0 == " " }) {
            let name = name.trimmingPrefix(".")
            if name == "*" || host == name || host.hasSuffix(".\(name)") { return nil }
        }
        let parts = URLComponents(string: setting.contains("://") ? setting : "http://\(setting)")
        address = [parts?.host, parts?.port.map(String.init)].compactMap(\.self)
            .joined(separator: ":")
    }

    /// Whether the environment names a proxy, for some URLs at least.
    static var isConfigured: Bool { settings.contains { variable($0) != nil } }

    private static let settings = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

    /// Returns the value of a variable of the environment, or `nil` if it is empty.
    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}

#endif
