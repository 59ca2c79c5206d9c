import Foundation

/// A rule for what is a secret, and so is not shown in text that people read.
///
/// A value is hidden by the name that it goes by, wherever it stands: a header, a query item, a path
/// parameter, a form field or a member of a JSON object. `***` stands in its place. URLs and JSON
/// within a value are searched too.
///
/// ```swift
/// .secrets                                                 // what sounds like a secret
/// .secrets.adding(headers: ["X-Tenant"], values: ["email"])   // and these
/// .nothing                                                 // all is shown
/// ```
public struct Redaction: Sendable {
    private let hidesSecrets: Bool
    private var headers: Set<String> = []
    private var names: Set<String> = []

    /// The rule that hides what sounds like a secret.
    ///
    /// That is tokens, keys, passwords, signatures, credentials, one-time codes, cookies and
    /// sessions, in a URL also the user and password before the host. The words of a name decide,
    /// however it is spelled: `X-Api-Key`, `apiKey` and `api_key` are hidden, `api_key_count` and
    /// `public_key` are not. `code` is hidden in queries and forms only.
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
    public func adding(headers: [String] = [], values: [String] = []) -> Redaction {
        var redaction = self
        redaction.headers.formUnion(headers.map { $0.lowercased() })
        redaction.names.formUnion(values.map { SecretName($0).joined })
        return redaction
    }

    private init(hidesSecrets: Bool) {
        self.hidesSecrets = hidesSecrets
    }

    /// Whether the rule hides anything.
    var hidesAnything: Bool { hidesSecrets || !headers.isEmpty || !names.isEmpty }

    /// Whether the rule hides the user and password of a URL.
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
    /// A `code` in a URL is most often an authorization code (RFC 6749, section 4.1.2), and in JSON
    /// the code of an error.
    package func hidesItem(named name: some StringProtocol) -> Bool {
        hidesValue(named: name) || hidesSecrets && name.lowercased() == "code"
    }

    /// Returns whether a word of a text sounds like a secret.
    package func hidesWord(in text: String) -> Bool {
        text.unicodeScalars
            .split {
                !$0.properties.isAlphabetic && $0.properties.numericType == nil
                    && $0 != "_" && $0 != "-"
            }
            .contains { hidesValue(named: Substring($0)) }
    }
}

extension Redaction {
    /// What stands in the place of a secret.
    package static let mask = "***"

    /// Returns the mask for a secret value, behind its scheme where it is a credential.
    package static func masked(_ value: String) -> String {
        (["Bearer ", "Basic "].first(where: value.hasPrefix) ?? "") + mask
    }

    /// Returns whether the value of a header sounds like a secret.
    package static func hidesHeader(_ name: String) -> Bool { secrets.hidesHeader(name) }

    /// Returns whether the value of a JSON member sounds like a secret.
    package static func hidesValue(named name: String) -> Bool { secrets.hidesValue(named: name) }

    /// Returns whether the value of a query item or form field sounds like a secret.
    package static func hidesItem(named name: String) -> Bool { secrets.hidesItem(named: name) }

    /// Returns the text of a URL with its user and the secret values in it masked.
    package static func text(of url: URL) -> String { secrets.text(of: url) }
}
