/// The text of a URL, split at its query and its fragment.
struct URLParts {
    /// The path, which includes the scheme and the host if the URL is absolute.
    var path: Substring
    var query: Substring?
    var fragment: Substring?

    init(_ text: String) {
        path = text[...]
        fragment = cut(at: UInt8(ascii: "#"))
        query = cut(at: UInt8(ascii: "?"))
    }

    /// Cuts the path at the first occurrence of a byte, and returns the text after it.
    private mutating func cut(at byte: UInt8) -> Substring? {
        guard let start = path.utf8.firstIndex(of: byte) else { return nil }
        defer { path = path[..<start] }
        return Substring(path.utf8[start...].dropFirst())
    }

    /// Appends a query to the existing one.
    mutating func append(query other: Substring) {
        guard !other.isEmpty else { return }
        query = query.map { $0.isEmpty ? other : $0 + "&" + other } ?? other
    }

    var text: String {
        var text = String(path)
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }
}
