import APIKit

/// How values are shown in messages, where secrets must not be.
enum Masking {
    /// The value of a header, quoted.
    static func header(_ name: String, _ value: String?) -> String {
        shown(value, masked: Redaction.hidesHeader(name))
    }

    /// The value of a query item, form field or JSON member, quoted.
    static func value(named name: String, _ value: String?) -> String {
        shown(value, masked: Redaction.hidesValue(named: name))
    }

    /// A secret, quoted, of which only the scheme of an `Authorization` is left to see.
    static func secret(_ text: String) -> String {
        for scheme in ["Bearer", "Basic"] where text.hasPrefix("\(scheme) ") {
            return "\"\(scheme) \(Redaction.mask)\""
        }
        return "\"\(Redaction.mask)\""
    }

    private static func shown(_ value: String?, masked: Bool) -> String {
        guard let value else { return "none" }
        return masked ? secret(value) : "\"\(value)\""
    }
}
