import Foundation

extension Redaction {
    /// Returns the text of a URL with its user, password and secret values masked.
    func text(of url: URL) -> String {
        masked(url.absoluteString) { $0.edits(inReferences: $1, of: $2) }
    }

    /// Returns the value of a header with its secrets masked.
    func text(ofHeader name: String, _ value: String) -> String {
        hidesHeader(name) ? Self.masked(value) : text(ofValue: value)
    }

    /// Returns a text with the secrets masked in its JSON, or otherwise in its URLs.
    package func text(ofValue text: String) -> String {
        // A fast path, because most texts have neither.
        guard text.utf8.contains(where: "?#@;{[".utf8.contains) else { return text }
        return masked(text) { $0.edits(inValue: $1, of: $2) }
    }

    /// Returns a query or a form with its secrets masked.
    package func text(ofQuery query: String) -> String {
        masked(query) { $0.edits(inQuery: $1, of: $2) }
    }

    /// Returns a text with its secrets masked, or `nil` if it is not JSON.
    func text(ofJSON text: String) -> String? {
        let bytes = Array(text.utf8)
        return SecretSearch(self).edits(inJSON: 0..<bytes.count, of: bytes).map {
            $0.isEmpty ? text : String(decoding: $0.applied(to: bytes), as: UTF8.self)
        }
    }

    private func masked(
        _ text: String, _ search: (SecretSearch, Range<Int>, [UInt8]) -> [TextEdit]
    ) -> String {
        guard hidesAnything else { return text }
        let bytes = Array(text.utf8)
        let edits = search(SecretSearch(self), 0..<bytes.count, bytes)
        return edits.isEmpty ? text : String(decoding: edits.applied(to: bytes), as: UTF8.self)
    }
}
