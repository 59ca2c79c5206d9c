import APIKit
import Foundation

extension LimitedList {
    /// Adds a line for each name whose values differ.
    ///
    /// If one form lacks an object or an array, one line shows all of it. If the bodies are of
    /// different kinds, one line shows both, and ends with the remark.
    mutating func addDifferences(
        expected: RequestForm, got: RequestForm, besides written: String, remark: String = ""
    ) {
        var (expected, got) = (expected, got)
        if let kind = expected.bodyKind, let other = got.bodyKind, kind != other {
            let bodies = (expected.removingBody(), got.removingBody())
            addDifference(
                "body", expected: kind + bodies.0.inParentheses(besides: nil),
                got: other + bodies.1.inParentheses(besides: written), remark: remark)
        }
        let names = Set(expected.values.keys).union(got.values.keys)
            .filter { expected.values[$0] != got.values[$0] }
        var whole: String?
        for name in names.inDocumentOrder {
            if let whole, name.isBelow(whole) { continue }
            let values = [expected.values[name] ?? [], got.values[name] ?? []]
            if let count = values[0].elementCount, let other = values[1].elementCount {
                // The line of an element is better.
                if names.contains(ExactText("\(name.string)[\(min(count, other))]")) { continue }
                addDifference(
                    name.string, expected: "\(count) elements", got: "\(other) elements")
                continue
            }
            if values.joined().contains(where: \.isContainer) { whole = name.string }
            // A part that lacks a property, beside one that is missing.
            if values.joined().allSatisfy({ $0 == .absent }) { continue }
            let texts = values.map { $0.map(\.text).joined(separator: "\n") }
            let kind = expected.bodyKind ?? ""
            addDifference(
                name.string, expected: expected.text(of: name, besides: nil),
                got: got.text(of: name, besides: written),
                remark: name == "body" && kind.hasPrefix("a body in ") ? " (\(kind))" : "",
                isVolatile: Volatility.isSame(texts[0], texts[1]))
        }
    }
}

extension RequestForm {
    /// Removes and returns the values of the body.
    fileprivate mutating func removingBody() -> RequestForm {
        let prefixes = ["body", "json", "form.", "part."]
        let body = filter { name in prefixes.contains(where: name.string.hasPrefix) }
        values = values.filter { body.values[$0.key] == nil }
        return body
    }

    fileprivate func inParentheses(besides written: String?) -> String {
        values.isEmpty ? "" : " (\(text(besides: written).shortened(to: 200)))"
    }

    /// Returns all names and values, in the description of a pattern or of a request.
    func text(besides written: String? = nil) -> String {
        values.filter { !$0.key.isBelow("json") && $0.value != [.absent] }.keys.inDocumentOrder
            .map { "\($0.string): \(text(of: $0, besides: written))" }.joined(separator: ", ")
    }

    /// Returns the values with a name in a failure.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - written: What the test has written, which is no secret, or `nil` if it has written all.
    /// - Returns: The text.
    func text(of name: ExactText, besides written: String?) -> String {
        let values = values[name] ?? []
        guard values.contains(where: \.isContainer) else {
            return Self.text(of: values, named: name.string, besides: written)
        }
        // Each name has at least one character of the text.
        let below = self.values.keys.filter { $0.isBelow(name.string) }.inDocumentOrder
        return json(of: name, below.prefix(200), written).shortened(to: 200)
    }

    /// Returns the JSON text of a value from the names below it.
    private func json(
        of name: ExactText, _ below: ArraySlice<ExactText>, _ written: String?
    ) -> String {
        let values = values[name] ?? []
        guard values.contains(where: \.isContainer) else {
            return text(of: name, besides: written)
        }
        let isArray = values.elementCount != nil
        var (items, rest) = ([String](), below)
        while let child = rest.popFirst() {
            let end = rest.firstIndex { !$0.isBelow(child.string) } ?? rest.endIndex
            let text = json(of: child, rest[..<end], written)
            rest = rest[end...]
            let step = child.string.dropFirst(name.string.count)
            let key =
                step.hasPrefix(".") ? "\"\(step.dropFirst())\"" : "\(step.dropFirst().dropLast())"
            items.append(isArray ? text : "\(key):\(text)")
        }
        let text = items.joined(separator: ",")
        return isArray ? "[\(text)]" : "{\(text)}"
    }

    /// Returns values in a failure, without secrets that the test has not written.
    static func text(of values: [Value], named name: String, besides written: String?) -> String {
        let isSecret = written != nil && isSecret(name)
        let texts = values.map { value in
            switch value {
            case .text(let text):
                written?.contains(text.string.quoted) == false
                    ? text.string.quoted(masked: isSecret) : text.string.quoted
            case .literal(let text):
                isSecret && text.contains(where: \.isNumber) ? Redaction.mask : text
            case .bytes(let data): "\(data.count) bytes"
            }
        }
        return texts.isEmpty ? "nothing" : texts.joined(separator: name == "path" ? "/" : " and ")
    }

    /// Returns whether the values with a name are often secrets.
    static func isSecret(_ name: String) -> Bool {
        let (section, rest) = name.split(at: ".")
        return switch section {
        case "cookie", "authorization": true
        case "header": Redaction.hidesHeader(String(rest))
        default: Redaction.hidesValue(named: lastName(of: name))
        }
    }

    /// Returns the name of a query item, field, part or JSON member, without its path.
    static func lastName(of name: String) -> String {
        let rest = name.split(at: ".").1
        if name.hasPrefix("json") { return (try? JSONPath(name))?.memberName ?? String(rest) }
        guard name.hasPrefix("part."), let end = rest.lastIndex(of: ".") else {
            return String(rest)
        }
        return String(rest[..<end])
    }
}

extension Collection<ExactText> {
    /// The names in order: an object before its members, and elements by their indices.
    fileprivate var inDocumentOrder: [ExactText] {
        map { ($0, $0.orderKey) }.sorted { $0.1 < $1.1 }.map(\.0)
    }
}

extension ExactText {
    /// A text that sorts a name before those below it, and `[9]` before `[10]`.
    fileprivate var orderKey: ExactText {
        var key: [UInt8] = []
        let bytes = Array(string.utf8)
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "."): key.append(1)
            case UInt8(ascii: "["):
                let digits = bytes[(index + 1)...].prefix(while: ByteSet.digits.contains)
                key += [2, UInt8(min(127, digits.count))]
            default: key.append(byte)
            }
        }
        return ExactText(String(decoding: key, as: UTF8.self))
    }
}
