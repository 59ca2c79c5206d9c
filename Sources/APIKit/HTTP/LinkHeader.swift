/// The links of a `Link` header field, in order (RFC 8288, section 3 and appendix B).
///
/// The sequence ends at the first text that is not a link.
struct LinkHeader: Sequence, IteratorProtocol {
    /// A link as written.
    struct Link: Equatable {
        /// A URL, or a reference relative to the URL of the response.
        let target: String

        /// The first value of each parameter, by its name in lower case.
        let parameters: [String: String]

        /// The relation types in lower case.
        var relations: [Substring] {
            (parameters["rel"] ?? "").lowercased().split(whereSeparator: \.isWhitespace)
        }
    }

    private var reader: FieldReader

    init(_ text: String) {
        reader = FieldReader(text)
    }

    mutating func next() -> Link? {
        // An element of a list may be empty (RFC 9110, section 5.6.1).
        while reader.skip(",") {}
        guard reader.skip("<") else { return nil }
        let target = reader.read(until: ">")
        guard reader.skip(">") else { return nil }
        return Link(target: target, parameters: reader.readParameters(until: " \t;,"))
    }
}
