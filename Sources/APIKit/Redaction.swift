import Foundation

/// The rule for what looks like a secret, and how text that people read hides it.
package enum Redaction {
    /// What stands in the place of a secret.
    package static let mask = "***"

    /// Tells whether the value of a header is a secret.
    package static func hidesHeader(_ name: String) -> Bool {
        secretHeaders.contains(name.lowercased()) || hidesValue(named: name)
    }

    /// Tells whether the value of a query item, form field or JSON member is a secret.
    package static func hidesValue(named name: String) -> Bool {
        let word = name.lowercased().filter { $0.isLetter || $0.isNumber }
        return secretWords.contains(word) || secretParts.contains { word.contains($0) }
    }

    /// Returns the text of a URL without whoever asks, and without the secret values in it.
    package static func text(of url: URL) -> String {
        let text = url.absoluteString
        // Most URLs have neither, and taking one apart is not free.
        guard text.utf8.contains(where: "?#@".utf8.contains),
            var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return text }
        if components.user != nil { (components.user, components.password) = (mask, nil) }
        components.percentEncodedQuery = components.percentEncodedQuery.map(hideSecrets(inQuery:))
        components.percentEncodedFragment =
            components.percentEncodedFragment.map(hideSecrets(inQuery:))
        return components.string ?? text
    }

    private static func hideSecrets(inQuery query: String) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false)
            .map { item in
                let name = item.prefix { $0 != "=" }
                let decoded = name.removingPercentEncoding ?? String(name)
                guard name.count < item.count, hidesValue(named: decoded) else {
                    return String(item)
                }
                return "\(name)=\(mask)"
            }
            .joined(separator: "&")
    }

    private static let secretHeaders: Set = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key",
    ]
    private static let secretWords: Set = [
        "key", "sig", "auth", "authorization", "pwd", "passwd", "jwt", "session", "sessionid",
    ]
    private static let secretParts = [
        "token", "secret", "password", "apikey", "signature", "credential",
    ]
}
