import APIKit
import Foundation

extension LimitedList {
    /// Adds a line for each name whose values differ.
    ///
    /// If one form lacks an object or an array, one line shows all of it.
    mutating func addDifferences(
        expected: RequestForm, got: RequestForm, besides written: String
    ) {
        var (expected, got) = (expected, got)
        if let kind = expected.bodyKind, let other = got.bodyKind, kind != other {
            func text(_ kind: String, _ form: RequestForm, _ written: String?) -> String {
                guard form.values["body"] != nil else { return kind }
                return "\(kind): \(form.text(of: "body", besides: written))"
            }
            addDifference(
                "body", expected: text(kind, expected, nil), got: text(other, got, written))
            (expected, got) = (expected.withoutBody, got.withoutBody)
        }
        let names = Set(expected.values.keys).union(got.values.keys)
            .filter { expected.values[$0] != got.values[$0] }
        var whole: String?
        for name in names.inDocumentOrder {
            if let whole, name.isBelow(whole) { continue }
            let values = [expected.values[name] ?? [], got.values[name] ?? []]
            let counts = values.map { $0.lazy.compactMap(\.elementCount).max() }
            if let count = counts[0], let other = counts[1] {
                // The line of an element is better.
                guard !names.contains(ExactText("\(name.string)[\(min(count, other))]")) else {
                    continue
                }
                addDifference(
                    name.string, expected: "\(count) elements", got: "\(other) elements")
                continue
            }
            if values.joined().contains(where: \.isContainer) { whole = name.string }
            // A part that lacks a property, beside one that is missing.
            if values.joined().allSatisfy({ $0 == .absent }) { continue }
            let texts = values.map { $0.map(\.text).joined(separator: "\n") }
            addDifference(
                name.string, expected: expected.text(of: name, besides: nil),
                got: got.text(of: name, besides: written),
                remark: name == "body" ? expected.remarkOnBytes : "",
                isVolatile: Volatility.isSame(texts[0], texts[1]))
        }
    }
}

extension RequestForm {
    /// The reason why a compressed body is compared by its bytes.
    fileprivate var remarkOnBytes: String {
        bodyKind.flatMap { $0.hasPrefix("a body in ") ? " (\($0))" : nil } ?? ""
    }

    fileprivate var withoutBody: RequestForm {
        let others = values.filter { name, _ in
            !["body", "json", "form.", "part."].contains(where: name.string.hasPrefix)
        }
        return RequestForm(values: others)
    }

    /// All names and values in the description of a pattern.
    var text: String {
        values.filter { !$0.key.isBelow("json") && $0.value != [.absent] }.keys.inDocumentOrder
            .map { "\($0.string): \(text(of: $0, besides: nil))" }.joined(separator: ", ")
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
        let isArray = values.contains { $0.elementCount != nil }
        guard isArray || values.contains(where: \.isContainer) else {
            return text(of: name, besides: written)
        }
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
        guard let dot = name.firstIndex(of: ".") else { return false }
        let rest = String(name[dot...].dropFirst())
        return switch name[..<dot] {
        case "cookie", "authorization": true
        case "header": Redaction.hidesHeader(rest)
        case "query", "form": Redaction.hidesValue(named: rest)
        case "part":
            Redaction.hidesValue(named: rest.lastIndex(of: ".").map { String(rest[..<$0]) } ?? rest)
        default: (JSONPath(name)?.memberName).map(Redaction.hidesValue(named:)) ?? false
        }
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
