import Foundation

/// A rule that selects the secrets to mask in logs, errors, commands and recordings.
///
/// The name of a value and its text decide whether it is a secret. `***` replaces it in a log.
///
/// ```swift
/// let redactions: [Redaction] = [
///     .secrets,  // what is a secret by itself
///     .secrets.adding(headers: ["X-Tenant"], values: ["email"]),  // and by these names
///     .secrets.adding(texts: [token]),  // and this text, anywhere
///     .secrets.excluding(values: ["page_token"]),  // except values with this name
///     .nothing,  // no value
/// ]
/// ```
public struct Redaction: Sendable {
    let hidesSecrets: Bool
    private var headers: Set<String> = []
    private var names: Set<String> = []
    private var excluded: Set<String> = []
    /// The added texts, longest first.
    package private(set) var texts: [String] = []

    /// The rule that masks credentials, and all values whose name or text marks them as secrets.
    ///
    /// - The credentials of HTTP: `Authorization`, cookies, and the user and password of a URL.
    /// - Values whose name means only secrets, in any spelling: passwords, secrets, API keys, access
    ///   tokens, and with a digit `pin`, `otp`, `cvc` and `cvv`.
    /// - Values that look random, if their name may mean a secret: `token`, `key`, `code`,
    ///   `session`. `?code=EUR` is not masked.
    /// - JSON Web Tokens, private keys and keys with a published prefix, wherever they occur.
    ///
    /// Values without a name are not masked, such as a segment of a path or the number of a payment
    /// card, nor are values that are far from their names.
    public static let secrets = Redaction(hidesSecrets: true)

    /// The rule that masks nothing.
    public static let nothing = Redaction(hidesSecrets: false)

    /// Returns a rule that also masks the values with the given names, and the given texts.
    ///
    /// - Parameters:
    ///   - headers: The names of header fields, in any case.
    ///   - values: The names of query items, path parameters, form fields and JSON members, in any
    ///     case. `user_id` also matches `userId` and `user-id`.
    ///   - texts: Secrets, such as the values of environment variables. Empty texts are ignored.
    /// - Returns: The stricter rule.
    public func adding(
        headers: [String] = [], values: [String] = [], texts: [String] = []
    ) -> Redaction {
        var redaction = self
        redaction.headers.formUnion(headers.map { $0.lowercased() })
        redaction.names.formUnion(values.map { Self.joined($0) })
        redaction.texts = Set(self.texts + texts.filter { !$0.isEmpty })
            .sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
        return redaction
    }

    /// Returns a rule in which the given names alone do not make a value a secret.
    ///
    /// A value with a recognizable format, such as a JSON Web Token, is masked under any name.
    ///
    /// - Parameter values: The names of header fields, query items, form fields and JSON members, in
    ///   any case. `page_token` also matches `pageToken`.
    /// - Returns: The weaker rule.
    public func excluding(values: [String]) -> Redaction {
        var redaction = self
        redaction.excluded.formUnion(values.map { Self.joined($0) })
        return redaction
    }

    /// Whether the rule masks anything.
    package var hidesAnything: Bool {
        hidesSecrets || !headers.isEmpty || !names.isEmpty || !texts.isEmpty
    }

    /// Returns what a name says about a value or a header field.
    func secrecy(of name: String, isHeader: Bool = false) -> Secrecy {
        let joined = excluded.isEmpty && names.isEmpty ? "" : Self.joined(name)
        if excluded.contains(joined) { return .none }
        let isAdded = isHeader ? headers.contains(name.lowercased()) : names.contains(joined)
        if isAdded { return .added }
        return hidesSecrets ? Secrecy(of: name, isHeader: isHeader) : .none
    }

    /// Returns the letters and digits of a name in lower case, to compare names of the user.
    private static func joined(_ name: String) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}

extension Redaction {
    /// The text that replaces a secret.
    package static let mask = "***"

    /// Returns whether the name of a header alone makes its value a secret.
    package static func hidesHeader(_ name: String) -> Bool {
        secrets.secrecy(of: name, isHeader: true) == .certain
    }

    /// Returns whether a log masks a header field, or its name alone makes it a secret.
    ///
    /// The sender asks the same as the log, so no other origin receives what a log does not show.
    static func hides(header name: String, _ value: String) -> Bool {
        hidesHeader(name) || secrets.masked(header: name, value) != value
    }

    /// Returns the text of a URL with its user, password and secret values masked.
    package static func masked(_ url: URL) -> String { secrets.masked(url) }
    func masked(_ url: URL) -> String { masked(url.absoluteString) }

    /// Returns the value of a header with its secrets masked.
    package func masked(header name: String, _ value: String) -> String {
        masked(value, as: .header(named: name))
    }

    /// Returns a text with its secrets masked.
    package func masked(_ text: String, as kind: TextKind = .any) -> String {
        replacingSecrets(in: text, as: kind) { _, _ in Self.mask }
    }

    /// Returns a body with its secrets masked.
    ///
    /// A body that is not text is unchanged, unless it is multipart.
    func body(_ body: Data, contentType: String?) -> Data {
        let bytes = replacingSecrets(in: Array(body), as: .body(contentType: contentType)) { _, _ in
            Self.mask
        }
        return Data(bytes)
    }
}
