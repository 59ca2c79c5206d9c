import Foundation

/// A rule that selects the secrets to mask in logs, errors and commands.
///
/// The name of a value decides whether it is a secret: the name of a header, query item, path
/// parameter, form field or JSON member. `***` replaces the value. URLs and JSON inside other
/// values are searched too.
///
/// ```swift
/// .secrets                                                    // values with the names of secrets
/// .secrets.adding(headers: ["X-Tenant"], values: ["email"])   // and these values
/// .nothing                                                    // no value
/// ```
public struct Redaction: Sendable {
    private let hidesSecrets: Bool
    private var headers: Set<String> = []
    private var names: Set<String> = []

    /// The rule that masks all values with the names of secrets.
    ///
    /// Secrets are tokens, keys, passwords, signatures, credentials, one-time codes, cookies and
    /// sessions, and in a URL also the user and password before the host. The words of the name
    /// decide, in any spelling: `X-Api-Key`, `apiKey` and `api_key` are masked, `api_key_count` and
    /// `public_key` are not. `code` is masked only in queries and forms.
    public static let secrets = Redaction(hidesSecrets: true)

    /// The rule that masks nothing.
    public static let nothing = Redaction(hidesSecrets: false)

    /// Returns a rule that also masks the values with the given names.
    ///
    /// - Parameters:
    ///   - headers: The names of headers, in any case.
    ///   - values: The names of query items, path parameters, form fields and JSON members, in any
    ///     case. `user_id` also matches `userId` and `user-id`.
    /// - Returns: The stricter rule.
    public func adding(headers: [String] = [], values: [String] = []) -> Redaction {
        var redaction = self
        redaction.headers.formUnion(headers.map { $0.lowercased() })
        redaction.names.formUnion(values.map { SecretName($0).joined })
        return redaction
    }

    private init(hidesSecrets: Bool) {
        self.hidesSecrets = hidesSecrets
    }

    /// Whether the rule masks anything.
    package var hidesAnything: Bool { hidesSecrets || !headers.isEmpty || !names.isEmpty }

    /// Whether the rule masks the user and password of a URL.
    var hidesUsers: Bool { hidesSecrets }

    /// Returns whether the value of a header is a secret.
    package func hidesHeader(_ name: String) -> Bool {
        hidesSecrets && SecretName(name).isSecret || headers.contains(name.lowercased())
    }

    /// Returns whether the value of a JSON member is a secret.
    package func hidesValue(named name: some StringProtocol) -> Bool {
        let name = SecretName(name)
        return hidesSecrets && name.isSecret || !names.isEmpty && names.contains(name.joined)
    }

    /// Returns whether the value of a query item, path parameter or form field is a secret.
    ///
    /// A `code` in a URL is usually an authorization code (RFC 6749, section 4.1.2), and in JSON
    /// usually an error code.
    package func hidesItem(named name: some StringProtocol) -> Bool {
        hidesValue(named: name) || hidesSecrets && name.lowercased() == "code"
    }

    /// Returns whether a text contains the name of a secret.
    package func hidesWord(in text: String) -> Bool {
        SecretName.names(in: text).contains { hidesValue(named: $0) }
    }
}

extension Redaction {
    /// The text that replaces a secret.
    package static let mask = "***"

    /// Returns the mask for a secret value, after the scheme if the value has one.
    package static func masked(_ value: String) -> String {
        (["Bearer ", "Basic "].first(where: value.hasPrefix) ?? "") + mask
    }

    /// Returns whether the value of a header is a secret.
    package static func hidesHeader(_ name: String) -> Bool { secrets.hidesHeader(name) }

    /// Returns whether the value of a JSON member is a secret.
    package static func hidesValue(named name: String) -> Bool { secrets.hidesValue(named: name) }

    /// Returns whether the value of a query item or form field is a secret.
    package static func hidesItem(named name: String) -> Bool { secrets.hidesItem(named: name) }

    /// Returns the text of a URL with its user, password and secret values masked.
    package static func text(of url: URL) -> String { secrets.text(of: url) }
}
