import Foundation

#if canImport(FoundationNetworking)

// The system's storage only holds the cookies. By itself it ignores their path, `Secure` and
// `Max-Age`, knows one spelling of `Set-Cookie`, and accepts any suffix of a host as a domain.

extension HTTPCookieStorage {
    /// The number of cookies that a domain keeps, and that one response can set.
    private static let limit = 180

    /// Returns the cookies for a URL, in the order in which they are sent (RFC 6265, section 5.4).
    package func cookies(sentTo url: URL, at now: Date = Date()) -> [HTTPCookie] {
        let isSecure = url.scheme?.lowercased() == "https"
        let path = url.path(percentEncoded: true)
        return (cookies(for: url) ?? [])
            .filter { cookie in
                (isSecure || !cookie.isOnlyForHTTPS) && cookie.isForPath(path.isEmpty ? "/" : path)
                    && cookie.expiresDate.map { $0 > now } != false
            }
            .sorted { (-$0.path.utf8.count, $0.creation) }
    }

    /// Stores and removes cookies, as a field `Set-Cookie` of a response demands.
    ///
    /// All calls of a session wait for it, so its work is limited. The last 180 cookies of a response
    /// count. A domain keeps its 180 newest cookies (RFC 6265, sections 5.3 and 6.1).
    ///
    /// - Parameters:
    ///   - field: The value of the field, in which the system joins repeated fields by commas.
    ///   - url: The URL of the response.
    package func store(_ field: String, from url: URL) {
        guard cookieAcceptPolicy != .never else { return }
        var domains: [[String]: String] = [:]
        for text in FieldReader.setCookieFields(in: field).suffix(Self.limit) {
            guard let cookie = HTTPCookie(setCookie: text, from: url) else { continue }
            // The storage then removes all expired cookies, which may include this one.
            setCookie(cookie)
            domains[cookie.key] = cookie.domain
        }
        // The storage distinguishes a cookie of a host from one of its domain. Servers do not (RFC
        // 6265, section 5.3, step 11).
        func isReplaced(_ cookie: HTTPCookie) -> Bool {
            domains[cookie.key].map { $0 != cookie.domain } ?? false
        }
        let changed = Set(domains.keys.map { $0[0] })
        for (domain, cookies) in Dictionary(grouping: cookies ?? [], by: \.key[0])
        where changed.contains(domain) {
            let kept = cookies.filter { !isReplaced($0) }.sorted { (0, $0.creation) }
            for old in cookies.filter(isReplaced) + kept.dropLast(Self.limit) { deleteCookie(old) }
        }
    }
}

extension HTTPCookie {
    /// Reads a cookie of a field `Set-Cookie` (RFC 6265, sections 5.2 and 5.3).
    ///
    /// It is `nil` if the text has no name and value, or more than 4,096 bytes of them. It is `nil` if
    /// the domain is not that of the URL, or the attributes are not those that the name promises.
    convenience init?(setCookie text: Substring, from url: URL) {
        func split(_ text: Substring.UTF8View, at separator: String, _ limit: Int) -> [Substring
            .UTF8View]
        {
            text.split(maxSplits: limit, omittingEmptySubsequences: false) {
                separator.utf8.contains($0)
            }
        }
        // Servers send at most eight attributes.
        let parts = split(text.utf8, at: ";", 16).map { part in
            split(part, at: "=", 1).map { Substring($0).trimmingCharacters(in: .whitespaces) }
        }
        let pair = parts[0]
        // RFC 6265bis, section 5.6.
        guard let host = url.host?.lowercased(), pair.count == 2, !pair[0].isEmpty,
            pair[0].utf8.count + pair[1].utf8.count <= 4096,
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { return nil }
        var properties: [HTTPCookiePropertyKey: Any] = [.name: pair[0], .value: pair[1]]
        var (domain, path, expiry, age) = ("", "", nil as Date?, nil as Date?)
        for part in parts.dropFirst() {
            let value = part.count == 2 ? part[1] : ""
            // A longer value is ignored.
            guard value.utf8.count <= 1024 else { continue }
            switch part[0].lowercased() {
            case "domain":
                domain = (value.hasPrefix(".") ? String(value.dropFirst()) : value).asciiHost
            case "path": path = value
            case "expires": expiry = HTTPDate.cookieDate(value) ?? expiry
            case "max-age": age = Self.date(inSeconds: value) ?? age
            case "secure":
                (properties[.secure], properties[.comment]) = ("TRUE", Self.secureComment)
            case "httponly": properties[HTTPCookiePropertyKey(rawValue: "HttpOnly")] = "TRUE"
            default: break
            }
        }
        // The prefix of a name promises that no other host has set the cookie (RFC 6265bis, section
        // 4.1.3).
        let isOfHost = pair[0].lowercased().hasPrefix("__host-")
        if isOfHost || pair[0].lowercased().hasPrefix("__secure-") {
            let isSecure = url.scheme?.lowercased() == "https" || url.isLoopback
            guard isSecure, properties[.secure] != nil, !isOfHost || domain.isEmpty && path == "/"
            else { return nil }
        }
        // A name of one label, such as `com`, is a public suffix, and an address has no subdomains.
        let isAddress = host.contains(":") || host.split(separator: ".").last?.isDigits == true
        let isWide = domain.contains(".") && !isAddress
        guard domain.isEmpty || domain == host || isWide && host.hasSuffix("." + domain) else {
            return nil
        }
        properties[.domain] = isWide ? "." + domain : host
        let folder = url.path(percentEncoded: true)
            .split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/")
        properties[.path] = path.hasPrefix("/") ? path : folder.isEmpty ? "/" : folder
        properties[.expires] = age ?? expiry
        self.init(properties: properties)
    }

    /// Whether the cookie is never sent over http.
    ///
    /// The storage loses `Secure` when it reads its file, but keeps a comment.
    fileprivate var isOnlyForHTTPS: Bool { isSecure || comment == Self.secureComment }
    private static let secureComment = "Secure"

    fileprivate var creation: Double {
        properties?[HTTPCookiePropertyKey(rawValue: "Created")] as? Double ?? 0
    }

    /// The domain, path and name, which identify the cookie.
    fileprivate var key: [String] {
        [domain.hasPrefix(".") ? String(domain.dropFirst()) : domain, path, name]
    }

    /// Returns whether the cookie is sent to a path (RFC 6265, section 5.1.4).
    fileprivate func isForPath(_ other: String) -> Bool {
        other.hasPrefix(path)
            && (path.hasSuffix("/") || ["/", nil].contains(other.dropFirst(path.count).first))
    }

    private static func date(inSeconds text: String) -> Date? {
        guard (text.hasPrefix("-") ? text.dropFirst() : text[...]).isDigits else { return nil }
        let seconds = Double(text) ?? 0
        return seconds > 0 ? min(Date(timeIntervalSinceNow: seconds), .distantFuture) : .distantPast
    }
}

extension [HTTPCookie] {
    /// Returns the cookies in the order of a property, which is read once for each of them.
    fileprivate func sorted(by key: (HTTPCookie) -> (Int, Double)) -> [HTTPCookie] {
        map { (cookie: $0, key: key($0)) }.sorted { $0.key < $1.key }.map(\.cookie)
    }
}

#endif
