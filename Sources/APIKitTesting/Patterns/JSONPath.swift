import APIKit

/// A path to one value of a JSON document, such as `user.addresses[0].city`.
///
/// It is a singular query of JSONPath (RFC 9535, section 2.3.5.1) without the leading `$`. A name with
/// one of the characters `.[]"'` is written in brackets and quotes, as in `user["first.name"]`.
struct JSONPath {
    /// The name of the value in a ``NamedValues``, such as `json.user.tags[0]`.
    private(set) var name = "json"
    /// The member name of the value, or of the array that holds it.
    private(set) var memberName: String?

    init(_ text: String) throws(Condition.Mistake) {
        // A quote and a combining accent after it form one `Character`, so read scalars.
        var rest = Substring(text.hasPrefix("[") ? text : ".\(text)").unicodeScalars
        var isPath = true
        // A name after a dot, an index, or a name in quotes of either kind.
        while isPath, let mark = rest.popFirst() {
            var word = String.UnicodeScalarView()
            let isQuoted = mark == "[" && (rest.first == "\"" || rest.first == "'")
            if isQuoted {
                let quote = rest.removeFirst()
                while let scalar = rest.popFirst(), scalar != quote {
                    word.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar)
                }
            } else {
                word += rest.prefix { !#".[]"'"#.unicodeScalars.contains($0) }
                rest = rest.dropFirst(word.count)
            }
            let step = String(word)
            if isQuoted || mark == "." && !step.isEmpty {
                memberName = step
                name += JSONScanner.step(step)
            } else {
                isPath = mark == "[" && step.isDigits && (step == "0" || !step.hasPrefix("0"))
                name += "[\(step)]"
            }
            isPath = isPath && (mark == "." || rest.popFirst() == "]")
        }
        guard isPath else {
            throw Condition.Mistake(
                text: """
                    "\(text)" is not a path to a JSON value. Write one such as user.addresses[0].city, \
                    and a name with other characters than letters as in user["first.name"]
                    """)
        }
    }
}

extension JSONValue {
    /// Returns the JSON with another value at a path.
    ///
    /// - Parameters:
    ///   - path: The name of a ``JSONPath``.
    ///   - value: The new value, or `nil` to remove it.
    ///   - isNew: Whether the value is a new member, and not the change of an existing value.
    ///   - place: The name of this JSON.
    /// - Returns: The changed JSON, or `nil` if nothing is left.
    /// - Throws: The mistake in a path that is not there, or that is there already for a new member.
    func setting(
        _ path: String, to value: Self?, isNew: Bool, at place: String = "json"
    ) throws(Condition.Mistake) -> Self? {
        if path == place {
            guard isNew else { return value }
            throw Condition.Mistake(text: "\(path) exists. Change it with changing:")
        }
        func isAbove(_ place: String) -> Bool {
            path == place || ExactText(path).isBelow(place)
        }
        switch self {
        case .object(var members):
            if let name = members.keys.first(where: { isAbove(place + JSONScanner.step($0)) }) {
                members[name] = try members[name]?.setting(
                    path, to: value, isNew: isNew, at: place + JSONScanner.step(name))
            } else if isNew, let name = (try? JSONPath(path))?.memberName,
                path == place + JSONScanner.step(name)
            {
                members[name] = value
            } else {
                let names = members.keys.sorted().prefix(10).joined(separator: ", ")
                throw Condition.Mistake(text: "there is no \(path). \(place) has: \(names)")
            }
            return .object(members)
        case .array(var elements):
            guard let index = elements.indices.first(where: { isAbove("\(place)[\($0)]") }) else {
                throw Condition.Mistake(
                    text: "there is no \(path). \(place) has \(elements.count) elements")
            }
            let new = try elements[index].setting(
                path, to: value, isNew: isNew, at: "\(place)[\(index)]")
            elements.replaceSubrange(index...index, with: new.map { [$0] } ?? [])
            return .array(elements)
        default:
            throw Condition.Mistake(text: "there is no \(path). \(place) is no object or array")
        }
    }
}
