import Foundation

/// A rule for what is a secret, and so is not shown in text that people read.
///
/// A value is hidden by the name that it goes by, wherever it stands: a header, a query item, a form
/// field or a member of a JSON object. `***` stands in its place.
///
/// ```swift
/// .secrets                                                 // what sounds like a secret
/// .secrets.and(headers: ["X-Tenant"], values: ["email"])   // and these
/// .nothing                                                 // all is shown
/// ```
public struct Redaction: Sendable {
    private let hidesSecrets: Bool
    private var headers: Set<String> = []
    private var words: Set<String> = []

    /// The rule that hides what sounds like a secret.
    ///
    /// That is tokens, keys, passwords, signatures, credentials, cookies and sessions, in a URL also
    /// the user and password before the host.
    public static let secrets = Redaction(hidesSecrets: true)

    /// The rule that hides nothing.
    public static let nothing = Redaction(hidesSecrets: false)

    /// Returns the rule that also hides what goes by other names.
    ///
    /// - Parameters:
    ///   - headers: The names of headers, in any case.
    ///   - values: The names of query items, form fields and JSON members, in any case; `user_id`
    ///     stands for `userId` and `user-id` too.
    /// - Returns: The stricter rule.
    public func and(headers: [String] = [], values: [String] = []) -> Redaction {
        var redaction = self
        redaction.headers.formUnion(headers.map { $0.lowercased() })
        redaction.words.formUnion(values.map(Self.word))
        return redaction
    }

    private init(hidesSecrets: Bool) {
        self.hidesSecrets = hidesSecrets
    }

    /// Whether there is anything that the rule hides.
    var hidesAnything: Bool { hidesSecrets || !headers.isEmpty || !words.isEmpty }

    /// Tells whether the value of a header is a secret.
    func hidesHeader(_ name: String) -> Bool {
        hidesSecrets && Self.hidesHeader(name) || headers.contains(name.lowercased())
    }

    /// Tells whether the value of a query item, form field or JSON member is a secret.
    func hidesValue(named name: String) -> Bool {
        hidesSecrets && Self.hidesValue(named: name) || words.contains(Self.word(name))
    }
}

extension Redaction {
    /// What stands in the place of a secret.
    package static let mask = "***"

    /// Returns the mask for a secret value, behind its scheme where it is a credential.
    package static func masked(_ value: String) -> String {
        (["Bearer ", "Basic "].first(where: value.hasPrefix) ?? "") + mask
    }

    /// Tells whether the value of a header sounds like a secret.
    package static func hidesHeader(_ name: String) -> Bool {
        secretHeaders.contains(name.lowercased()) || hidesValue(named: name)
    }

    /// Tells whether the value of a query item, form field or JSON member sounds like a secret.
    package static func hidesValue(named name: String) -> Bool {
        let word = word(name)
        return secretWords.contains(word) || secretParts.contains { word.contains($0) }
    }

    /// Returns the text of a URL with its user and the secret values in it masked.
    package static func text(of url: URL) -> String {
        secrets.text(of: url)
    }

    private static func word(_ name: String) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    private static let secretHeaders: Set = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key",
    ]
    private static let secretWords: Set = [
        "key", "sig", "auth", "authorization", "pwd", "passwd", "jwt", "session",
    ]
    private static let secretParts = [
        "token", "secret", "password", "passphrase", "signature", "credential", "apikey",
        "accesskey", "privatekey", "sessionkey", "sessionid",
    ]
}

extension Redaction {
    /// Returns the text of a URL with its user and the secret values in it masked.
    func text(of url: URL) -> String {
        text(ofReference: url.absoluteString)
    }

    // Taken apart as text: what is no URL, such as a broken redirect, may hold secrets all the same.
    private func text(ofReference text: String) -> String {
        // Most URLs have nothing to hide, and taking one apart is not free.
        guard text.utf8.contains(where: "?#@".utf8.contains) else { return text }
        var parts = URLParts(text)
        // An expression is made anew for each text, so one without a user does without it.
        if hidesSecrets, parts.path.utf8.contains(UInt8(ascii: "@")),
            let user = parts.path.prefixMatch(of: /([^\/]*:)?\/\/([^\/]*)@/)
        {
            parts.path.replaceSubrange(
                user.output.2.startIndex..<user.output.2.endIndex, with: Self.mask)
        }
        parts.query = parts.query.map { self.text(ofQuery: String($0))[...] }
        parts.fragment = parts.fragment.map { self.text(ofQuery: String($0))[...] }
        return parts.text
    }

    /// Returns a query or a form without the secret values in it.
    func text(ofQuery query: String) -> String {
        query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .map { item in
                let item = Substring(item)
                guard let end = item.utf8.firstIndex(of: UInt8(ascii: "=")) else { return item }
                let name = item[..<end]
                let isHidden = hidesValue(named: name.removingPercentEncoding ?? String(name))
                return isHidden ? "\(name)=\(Self.mask)" : item
            }
            .joined(separator: "&")
    }

    /// Returns the value of a header without the secret in it.
    func text(ofHeader name: String, _ value: String) -> String {
        if hidesHeader(name) { return Self.masked(value) }
        guard hidesAnything, Self.headersWithURLs.contains(name.lowercased()) else { return value }
        return value.replacing(/[^\s<>"]+/) { text(ofReference: String($0.output)) }
    }

    private static let headersWithURLs: Set = ["location", "content-location", "referer", "link"]
}
