import APIKit
import Foundation

extension LimitedList {
    /// Adds a line for each name whose values differ.
    ///
    /// If one request lacks an object or an array, one line shows all of it.
    mutating func addDifferences(
        expected: NamedValues, got: NamedValues, besides request: ComparedRequest,
        remark: String = ""
    ) {
        // To order thousands of names takes long, and a count needs no order. 100 are as many as more.
        let limit = onlyCounts ? 100 : Int.max
        let differing = expected.values.lazy.filter { got.values[$0] != $1 }.map(\.key)
        var names = Set(differing.prefix(limit))
        if names.count < limit {
            names.formUnion(got.values.keys.lazy.filter { expected.values[$0] == nil })
        }
        if onlyCounts { return names.forEach { _ in add("") } }
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
                got: got.clause(for: name, besides: request), remark: remark,
                isVolatile: Volatility.isSame(texts[0], texts[1]))
        }
    }
}

extension NamedValues {
    /// All names and values, in the description of a pattern.
    var text: String {
        values.keys.filter { root(of: $0) == nil }.inDocumentOrder
            .map { "\($0.string): \(clause(for: $0, besides: nil))" }.joined(separator: ", ")
    }

    /// Returns the values with a name in a failure, without secrets that the test has not written.
    ///
    /// If the test has written all of them, `request` is `nil`.
    func clause(for name: ExactText, besides request: ComparedRequest?) -> String {
        let hasNames = values[name]?.contains(where: \.isContainer) ?? false
        let below = hasNames ? values.keys.filter { $0.isBelow(name.string) }.inDocumentOrder : []
        // Each name has at least one character of the text. The two more are the quotes of a string.
        return clause(for: name, below.prefix(200), request).shortened(to: 202)
    }

    /// Returns the values with a name, and for an object or an array its JSON text from the names
    /// below it.
    private func clause(
        for name: ExactText, _ below: ArraySlice<ExactText>, _ request: ComparedRequest?
    ) -> String {
        let values = values[name] ?? []
        guard values.contains(where: \.isContainer) else {
            return Self.clause(for: values, as: kind(of: name), besides: request)
        }
        let isArray = values.elementCount != nil
        var (items, rest) = ([String](), below)
        while let child = rest.popFirst() {
            let text = clause(for: child, rest.filter { $0.isBelow(child.string) }[...], request)
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
    static func clause(
        for values: [Value], as kind: Redaction.TextKind, besides request: ComparedRequest?
    ) -> String {
        let isSecret = request != nil && isSecret(kind)
        let texts = values.map { value in
            switch value {
            case .text(let text):
                guard let request else { return text.string.quoted }
                let (plain, masked) = (text.string.quoted, text.string.quoted(masked: isSecret))
                // To write all patterns takes long.
                return masked == plain || request.written.contains(plain) ? plain : masked
            case .literal(let text):
                return isSecret && text.contains(where: \.isNumber) ? Redaction.mask : text
            case .bytes: return value.text
            }
        }
        return texts.isEmpty ? "nothing" : texts.joined(separator: " and ")
    }

    /// Returns what a value is, which decides whether it is a secret.
    func kind(of name: ExactText) -> Redaction.TextKind {
        guard let root = root(of: name) else { return Self.kind(of: name.string) }
        let path = name.string[root.endIndex...]
        // An array that is the whole text has the name of the text.
        return path.allSatisfy("[]0123456789".contains)
            ? Self.kind(of: String(root)) : .value(named: Self.memberName(of: "json\(path)"))
    }

    /// Returns the name of the JSON text that contains a value, or `nil` for any other value.
    private func root(of name: ExactText) -> Substring? {
        let text = name.string
        // The search allocates memory, and no other name is below a JSON text.
        guard ["json", "query.", "form.", "part."].contains(where: text.hasPrefix)
        else { return nil }
        return text.utf8.indices.lazy.filter { ".[".utf8.contains(text.utf8[$0]) }
            .map { text[..<$0] }
            .first { values[ExactText(String($0))]?.contains(where: \.isContainer) ?? false }
    }

    /// Returns what the value of a condition is, by its name.
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

    /// Returns whether values are often secrets.
    private static func isSecret(_ kind: Redaction.TextKind) -> Bool {
        switch kind {
        case .header(let name): Redaction.hidesHeader(name)
        case .value(let name): Redaction.hidesValue(named: name)
        case .any, .body: false
        }
    }
}

extension Collection<ExactText> {
    /// The names in order: an object, its members, then other names, and `[9]` before `[10]`.
    fileprivate var inDocumentOrder: [ExactText] {
        map { (name: $0, key: $0.orderingKey) }.sorted { $0.key < $1.key }.map(\.name)
    }
}

extension ExactText {
    /// The text that is compared in place of a name, whose bytes have the order of the names.
    fileprivate var orderingKey: ExactText {
        var (key, rest) = ([UInt8](), string.utf8[...])
        while let byte = rest.popFirst() {
            // Otherwise `user-id` would be between `user` and `user.name`.
            key.append(byte == UInt8(ascii: ".") ? 1 : byte == UInt8(ascii: "[") ? 2 : byte)
            // The number of digits comes first: a longer index is larger.
            if key.last == 2 { key.append(UInt8(rest.prefix(9).prefix { $0 < 0x3A }.count + 2)) }
        }
        return ExactText(String(decoding: key, as: UTF8.self))
    }
}
