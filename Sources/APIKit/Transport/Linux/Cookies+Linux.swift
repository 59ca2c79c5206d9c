import Foundation

#if canImport(FoundationNetworking)

// The system's storage only holds the cookies. By itself it ignores their path, `Secure` and
// `Max-Age`, knows one spelling of `Set-Cookie`, and accepts any suffix of a host as a domain.

extension HTTPCookieStorage {
    /// Returns the cookies for a URL, in the order in which they are sent (RFC 6265, section 5.4).
    package func cookies(sentTo url: URL, at now: Date = Date()) -> [HTTPCookie] {
        let isSecure = url.scheme?.lowercased() == "https"
        let path = url.path(percentEncoded: true)
        return (cookies(for: url) ?? [])
            .filter { cookie in
                (isSecure || !cookie.isOnlyForHTTPS) && cookie.isForPath(path.isEmpty ? "/" : path)
                    && cookie.expiresDate.map { $0 > now } != false
            }
            .sorted { ($1.path.utf8.count, $0.creation) < ($0.path.utf8.count, $1.creation) }
    }

    /// Stores and removes cookies, as a field `Set-Cookie` of a response demands.
    ///
    /// - Parameters:
    ///   - field: The value of the field, in which the system joins repeated fields by commas.
    ///   - url: The URL of the response.
    package func store(_ field: String, from url: URL) {
        guard cookieAcceptPolicy != .never else { return }
        for text in FieldReader.setCookieFields(in: field) {
            guard let cookie = HTTPCookie(setCookie: String(text), from: url) else { continue }
            // The storage then removes all expired cookies, which may include this one.
            setCookie(cookie)
            // The storage distinguishes a cookie of a host from one of its domain. Servers do not (RFC
            // 6265, section 5.3, step 11).
            for old in cookies ?? [] where old.key == cookie.key && old.domain != cookie.domain {
                deleteCookie(old)
            }
        }
    }
}

extension HTTPCookie {
    /// Reads a cookie of a field `Set-Cookie` (RFC 6265, sections 5.2 and 5.3).
    ///
    /// It is `nil` if the text has no name and value, or the domain is not that of the URL.
    convenience init?(setCookie text: String, from url: URL) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map { part in
            part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
        guard let host = url.host?.lowercased(), parts[0].count == 2, !parts[0][0].isEmpty
        else { return nil }
        var properties: [HTTPCookiePropertyKey: Any] = [.name: parts[0][0], .value: parts[0][1]]
        var (domain, path, expiry, age) = ("", "", nil as Date?, nil as Date?)
        for part in parts.dropFirst() {
            let value = part.count == 2 ? part[1] : ""
            switch part[0].lowercased() {
            case "domain" where !value.isEmpty:
                domain = (value.hasPrefix(".") ? String(value.dropFirst()) : value).lowercased()
            case "path": path = value
            case "expires": expiry = Self.date(value) ?? expiry
            case "max-age": age = Self.date(inSeconds: value) ?? age
            case "secure":
                (properties[.secure], properties[.comment]) = ("TRUE", Self.secureComment)
            case "httponly": properties[HTTPCookiePropertyKey(rawValue: "HttpOnly")] = "TRUE"
            default: break
            }
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

    fileprivate var key: [String] { [name, path, domain.trimmingCharacters(in: ["."])] }

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

    /// Reads a date in any of its many formats (RFC 6265, section 5.1.1).
    private static func date(_ text: String) -> Date? {
        var parts = DateComponents(calendar: Calendar(identifier: .gregorian), timeZone: .gmt)
        let tokens = text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != ":" }
        for token in tokens {
            // Longer numbers are no part of a date.
            let numbers = token.split(separator: ":").compactMap { $0.count > 4 ? nil : Int($0) }
            if numbers.count == 3 {
                (parts.hour, parts.minute, parts.second) = (numbers[0], numbers[1], numbers[2])
            } else if let month = months.firstIndex(of: token.prefix(3)) {
                parts.month = month + 1
            } else if let number = numbers.first, parts.day == nil {
                parts.day = number
            } else if let number = numbers.first, parts.year == nil {
                parts.year = number < 70 ? 2000 + number : number < 100 ? 1900 + number : number
            }
        }
        let isComplete = parts.hour != nil && parts.month != nil && parts.year != nil
        return isComplete && parts.isValidDate ? parts.date : nil
    }

    private static let months =
        "jan feb mar apr may jun jul aug sep oct nov dec".split(separator: " ")
}

#endif
