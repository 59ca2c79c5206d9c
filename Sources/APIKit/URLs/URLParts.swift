/// The text of a URL, cut where its query and its fragment start.
struct URLParts {
    /// What comes first: a path, with a scheme and a host in front if the URL is absolute.
    var path: Substring
    var query: Substring?
    var fragment: Substring?

    init(_ text: String) {
        path = text[...]
        fragment = cut(at: UInt8(ascii: "#"))
        query = cut(at: UInt8(ascii: "?"))
    }

    /// Cuts the path at the first of a byte, and returns what comes after it.
    private mutating func cut(at byte: UInt8) -> Substring? {
        guard let start = path.utf8.firstIndex(of: byte) else { return nil }
        defer { path = path[..<start] }
        return Substring(path.utf8[start...].dropFirst())
    }

    var text: String {
        var text = String(path)
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }
}
