/// The syntax and the comparison of entity tags (RFC 9110, section 8.8.3).
package enum EntityTag {
    /// Returns the entity tags in a list, such as `If-None-Match`.
    package static func list(_ field: String) -> [String] {
        // A quote and a combining accent after it form one `Character`, so compare bytes.
        var (tags, rest) = ([String](), field.utf8[...])
        while true {
            rest = rest.drop(while: " \t".utf8.contains)
            let quoted = rest.dropFirst(rest.starts(with: "W/\"".utf8) ? 2 : 0)
            if quoted.first == quote, let end = quoted.dropFirst().firstIndex(of: quote) {
                tags.append(String(Substring(rest[...end])))
                rest = rest[end...].dropFirst()
            }
            guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else { return tags }
            rest = rest[comma...].dropFirst()
        }
    }

    private static let quote = UInt8(ascii: "\"")

    /// Whether an entity tag changes with every change of the representation.
    package static func isStrong(_ tag: String) -> Bool { tag.hasPrefix("\"") }

    /// Whether two entity tags match by the weak comparison, which ignores `W/`.
    package static func isMatch(_ first: String, _ second: String) -> Bool {
        first.trimmingPrefix("W/") == second.trimmingPrefix("W/")
    }
}
