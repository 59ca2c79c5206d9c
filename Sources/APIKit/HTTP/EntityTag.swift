/// The syntax and the comparison of entity tags (RFC 9110, section 8.8.3).
package enum EntityTag {
    /// Returns the entity tags of a list, such as `If-None-Match`, up to the first malformed one.
    package static func list(_ field: String) -> [String] {
        var (reader, tags) = (FieldReader(field), [String]())
        while true {
            // An element of a list may be empty (section 5.6.1).
            while reader.skip(",") {}
            let prefix = reader.read(until: "\"")
            guard prefix.isEmpty || prefix == "W/", reader.skip("\"") else { return tags }
            let text = reader.read(until: "\"")
            guard reader.skip("\"") else { return tags }
            tags.append("\(prefix)\"\(text)\"")
        }
    }

    /// Whether an entity tag changes with every change of the representation.
    package static func isStrong(_ tag: String) -> Bool { tag.hasPrefix("\"") }

    /// Whether two entity tags match by the weak comparison, which ignores `W/`.
    package static func isMatch(_ first: String, _ second: String) -> Bool {
        opaque(first) == opaque(second)
    }

    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}
