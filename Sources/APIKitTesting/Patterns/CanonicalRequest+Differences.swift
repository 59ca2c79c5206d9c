import APIKit
import Foundation

extension LimitedList {
    /// Adds a line for each name whose values differ.
    ///
    /// If one request lacks an object or an array, one line shows all of it.
    mutating func addDifferences(
        expected: CanonicalRequest, got: CanonicalRequest, besides written: String,
        remark: String = ""
    ) {
        let names = Set(expected.values.keys).union(got.values.keys)
            .filter { expected.values[$0] != got.values[$0] }
        var whole: String?
        for name in names.inDocumentOrder {
            if let whole, name.isBelow(whole) { continue }
            let values = [expected.values[name] ?? [], got.values[name] ?? []]
            if let count = values[0].elementCount, let other = values[1].elementCount {
                // The line of an element is better.
                if names.contains(ExactText("\(name.string)[\(min(count, other))]")) { continue }
                addDifference(name.string, expected: "\(count) elements", got: "\(other) elements")
                continue
            }
            if values.joined().contains(where: \.isContainer) { whole = name.string }
            let texts = values.map { $0.map(\.text).joined(separator: "\n") }
            addDifference(
                name.string, expected: expected.clause(for: name, besides: nil),
                got: got.clause(for: name, besides: written), remark: remark,
                isVolatile: Volatility.isSame(texts[0], texts[1]))
        }
    }
}

extension CanonicalRequest {
    /// All names and values, in the description of a pattern.
    var text: String {
        values.keys.filter { !$0.isBelow("json") }.inDocumentOrder
            .map { "\($0.string): \(clause(for: $0, besides: nil))" }.joined(separator: ", ")
    }

    /// Returns the values with a name in a failure, without secrets that the test has not written.
    ///
    /// If the test has written all of them, `written` is `nil`.
    func clause(for name: ExactText, besides written: String?) -> String {
        let below = values.keys.filter { $0.isBelow(name.string) }.inDocumentOrder
        // Each name has at least one character of the text. The two more are the quotes of a string.
        return clause(for: name, below.prefix(200), written).shortened(to: 202)
    }

    /// Returns the values with a name, and for an object or an array its JSON text from the names
    /// below it.
    private func clause(
        for name: ExactText, _ below: ArraySlice<ExactText>, _ written: String?
    ) -> String {
        let values = values[name] ?? []
        guard values.contains(where: \.isContainer) else {
            return Self.clause(for: values, named: name.string, besides: written)
        }
        let isArray = values.elementCount != nil
        var (items, rest) = ([String](), below)
        while let child = rest.popFirst() {
            let text = clause(for: child, rest.filter { $0.isBelow(child.string) }[...], written)
            rest.removeAll { $0.isBelow(child.string) }
            let step = child.string.dropFirst(name.string.count)
            let key =
                step.hasPrefix(".") ? "\"\(step.dropFirst())\"" : "\(step.dropFirst().dropLast())"
            items.append(isArray ? text : "\(key):\(text)")
        }
        let text = items.joined(separator: ",")
        return isArray ? "[\(text)]" : "{\(text)}"
    }

    /// Shows values in a failure, and masks secrets unless the test itself wrote them.
    static func clause(for values: [Value], named name: String, besides written: String?) -> String
    {
        let isSecret = written != nil && isSecret(name)
        let texts = values.map { value in
            switch value {
            case .text(let text):
                written?.contains(text.string.quoted) == false
                    ? text.string.quoted(masked: isSecret) : text.string.quoted
            case .literal(let text):
                isSecret && text.contains(where: \.isNumber) ? Redaction.mask : text
            case .bytes: value.text
            }
        }
        return texts.isEmpty ? "nothing" : texts.joined(separator: " and ")
    }

    /// Returns what a value with a name is, which decides whether it is a secret.
    static func kind(of name: String) -> Redaction.TextKind {
        let (section, rest) = name.split(at: ".")
        switch section {
        case "cookie": return .header(named: "Cookie")
        case "authorization": return .header(named: "Authorization")
        case "header": return .header(named: String(rest))
        case "query", "form": return .value(named: String(rest))
        case "part":
            return .value(named: String(rest[..<(rest.lastIndex(of: ".") ?? rest.endIndex)]))
        case _ where section.hasPrefix("json"): return .value(named: memberName(of: name))
        default: return .any
        }
    }

    /// Returns the name of the member that a JSON value belongs to, or of the array that holds it.
    private static func memberName(of name: String) -> String {
        var path = name.utf8[...]
        while path.last == UInt8(ascii: "]"), let open = path.lastIndex(of: UInt8(ascii: "[")),
            path[path.index(after: open)...].dropLast().allSatisfy(ByteSet.digits.contains)
        {
            path = path[..<open]
        }
        // A name in quotes needs the whole syntax.
        guard path.last != UInt8(ascii: "]") else {
            return (try? JSONPath(String(Substring(path))))?.memberName ?? ""
        }
        let start = path.lastIndex(of: UInt8(ascii: ".")).map(path.index(after:))
        return String(Substring(path[(start ?? path.startIndex)...]))
    }

    /// Returns whether the values with a name are often secrets.
    static func isSecret(_ name: String) -> Bool {
        switch kind(of: name) {
        case .header(let name): Redaction.hidesHeader(name)
        case .value(let name): Redaction.hidesValue(named: name)
        case .any, .body: false
        }
    }
}

extension Collection<ExactText> {
    /// The names in order: an object, its members, then other names, and `[9]` before `[10]`.
    fileprivate var inDocumentOrder: [ExactText] {
        // Without the separators, `user-id` would be between `user` and `user.name`.
        map { ($0, $0.string.replacing(".", with: "\u{1}").replacing("[", with: "\u{2}")) }
            .sorted { $0.1.compare($1.1, options: [.literal, .numeric]) == .orderedAscending }
            .map(\.0)
    }
}
