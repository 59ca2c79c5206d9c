/// The syntax and the comparison of entity tags (RFC 9110, section 8.8.3).
package enum EntityTag {
    /// Returns the entity tags of a list, such as `If-None-Match`, up to the first other text.
    package static func list(_ field: String) -> [String] {
        var (tags, rest) = ([String](), field[...])
        while let match = rest.prefixMatch(of: /[ \t,]*((?:W\/)?"[^"]*")[ \t]*(?=,|$)/) {
            tags.append(String(match.1))
            rest = rest[match.range.upperBound...]
        }
        return tags
    }

    /// Whether an entity tag changes with every change of the representation.
    package static func isStrong(_ tag: String) -> Bool { tag.hasPrefix("\"") }

    /// Returns whether two entity tags match by the weak comparison, which ignores `W/`.
    package static func isMatch(_ first: String, _ second: String) -> Bool {
        opaque(first) == opaque(second)
    }

    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}
