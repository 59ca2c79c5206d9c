import APIKit

/// A path to one value of a JSON document, such as `user.addresses[0].city`.
///
/// It is a singular query of JSONPath (RFC 9535, section 2.3.5.1) without the leading `$`. A name with
/// one of the characters `.[]"'` is written in brackets and quotes, as in `user["first.name"]`.
struct JSONPath {
    /// The name of the value in a ``RequestForm``, such as `json.user.tags[0]`.
    private(set) var name = "json"
    /// The member name of the value, or of the array that holds it.
    private(set) var memberName: String?

    init(_ text: String) throws(Condition.Mistake) {
        // A name after a dot, an index, or a name in quotes of either kind.
        let step =
            #/\.([^.\[\]"']+)|\[(?:0|[1-9][0-9]*)\]|\["((?:\\.|[^"\\])*)"\]|\['((?:\\.|[^'\\])*)'\]/#
            .dotMatchesNewlines().matchingSemantics(.unicodeScalar)
        let escape = #/\\(.)/#.dotMatchesNewlines().matchingSemantics(.unicodeScalar)
        var rest = Substring(text.hasPrefix("[") ? text : ".\(text)")
        while let match = rest.prefixMatch(of: step)?.output {
            if let member = match.1 ?? (match.2 ?? match.3)?.replacing(escape, with: { $0.1 }) {
                memberName = String(member)
                name += JSONScanner.step(String(member))
            } else {
                name += match.0
            }
            rest = rest[match.0.endIndex...]
        }
        guard rest.isEmpty else {
            throw Condition.Mistake(
                text: """
                    "\(text)" is not a path to a JSON value. Write one such as user.addresses[0].city, \
                    and a name with other characters than letters as in user["first.name"]
                    """)
        }
    }
}
