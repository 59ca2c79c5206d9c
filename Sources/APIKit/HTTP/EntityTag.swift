/// The syntax and the comparison of entity tags (RFC 9110, section 8.8.3).
package enum EntityTag {
    /// Returns the entity tags in a list, such as `If-None-Match`.
    package static func list(_ field: String) -> [String] {
        // A quote and a combining accent after it form one `Character`.
        let tag = /(?:^|,)[ \t]*((?:W\/)?"[^"]*")/.matchingSemantics(.unicodeScalar)
        return field.matches(of: tag).map { String($0.1) }
    }

    /// Whether an entity tag changes with every change of the representation.
    package static func isStrong(_ tag: String) -> Bool { tag.hasPrefix("\"") }

    /// Whether two entity tags match by the weak comparison, which ignores `W/`.
    package static func isMatch(_ first: String, _ second: String) -> Bool {
        first.trimmingPrefix("W/") == second.trimmingPrefix("W/")
    }
}
