/// A tag of XML or HTML, with the text after it.
struct Tag {
    /// The name without its namespace.
    let name: String
    private(set) var attributes: [(name: String, value: Range<Int>)] = []
    let range: Range<Int>
    /// The text up to the next tag, or the content of a CDATA section.
    private(set) var text: Range<Int>

    /// Reads the tag at a `<`, or returns `nil` if no element starts there.
    init?(at start: Int, in limit: Range<Int>, of bytes: [UInt8]) {
        var index = start + 1
        let end = limit.upperBound
        func word(_ stops: ByteSet) -> Range<Int> {
            let stop = bytes.index(of: stops, in: index..<end)
            defer { index = stop }
            return index..<stop
        }
        func skip() { index = bytes.index(of: Self.blanks.inverted, in: index..<end) }
        let nameRange = word(Self.endsOfName)
        // A URL in angle brackets is not a tag.
        guard !nameRange.isEmpty, bytes[nameRange].last != UInt8(ascii: ":"),
            bytes[nameRange].allSatisfy({ Self.nameParts.contains($0) })
        else { return nil }
        name = String(
            decoding: bytes[nameRange].split(separator: UInt8(ascii: ":")).last ?? [],
            as: UTF8.self)
        while true {
            skip()
            guard index < end, bytes[index] != UInt8(ascii: ">") else { break }
            guard bytes[index] != UInt8(ascii: "<") else { return nil }
            let attribute = word(Self.endsOfName)
            skip()
            guard index < end, bytes[index] == UInt8(ascii: "=") else {
                if attribute.isEmpty { index += 1 }
                continue
            }
            index += 1
            skip()
            guard index < end else { break }
            let value: Range<Int>
            if "\"'".utf8.contains(bytes[index]) {
                let quote = bytes[index]
                index += 1
                value = word(quote == UInt8(ascii: "'") ? .apostrophe : .quote)
                index = min(index + 1, end)
            } else {
                value = word(Self.endsOfValue)
            }
            attributes.append((String(decoding: bytes[attribute], as: UTF8.self), value))
        }
        range = start..<min(index + 1, end)
        text = range.upperBound..<bytes.index(of: .less, in: range.upperBound..<end)
        if bytes.hasText("<![CDATA[", at: text.upperBound) {
            let content = min(text.upperBound + 9, end)
            // Without a limit, a text of many unterminated sections would take quadratic time.
            let limit = min(end, content + 1 << 16)
            var stop = bytes.index(of: Self.bracket, in: content..<limit)
            while stop < limit, !bytes.hasText("]]>", at: stop) {
                stop = bytes.index(of: Self.bracket, in: (stop + 1)..<limit)
            }
            text = content..<stop
        }
    }

    /// Returns the value of the first attribute with one of the names.
    func attribute(_ names: String...) -> Range<Int>? {
        attributes.first { names.contains($0.name.lowercased()) }?.value
    }

    private static let nameParts = ByteSet {
        $0 >= 0x80 || ByteSet.alphanumerics.contains($0) || "_-.:".utf8.contains($0)
    }
    private static let blanks = ByteSet(" \n\r\t/")
    private static let endsOfName = ByteSet(" \n\r\t/><=")
    private static let endsOfValue = ByteSet(" \n\r\t>")
    private static let bracket = ByteSet("]")
}

extension SecretSearch {
    /// Finds the secrets in the attributes of a tag, and in the text after it.
    ///
    /// A value has the name of its attribute or element, unless another name is beside it: in the
    /// attribute `name`, `key` or `id`, or in the element before it.
    ///
    /// - Parameters:
    ///   - tag: The tag.
    ///   - label: The text of the last element `name` or `key`, which names the next value.
    ///   - bytes: The bytes that contain the tag.
    /// - Returns: The secrets in any order.
    func secrets(inTag tag: Tag, _ label: inout String?, of bytes: [UInt8]) -> [FoundSecret] {
        func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        func secrets(_ range: Range<Int>, _ name: String) -> [FoundSecret] {
            let plain = UnescapedText(markup: range, of: bytes)
            return self.secrets(
                inValue: range, of: bytes, plain: plain.hasEscapes ? plain.bytes : nil,
                rule: rule(for: name), name: name)
        }
        let value = tag.attribute("value", "content")
        let isPassword = tag.attribute("type").map(string)?.lowercased() == "password"
        let named = tag.attribute("name", "key") ?? (value == nil ? nil : tag.attribute("id"))
        let name = isPassword ? "password" : named.map(string)
        var found: [FoundSecret] = []
        for attribute in tag.attributes where !attribute.value.isEmpty {
            let own = attribute.value == value ? name ?? attribute.name : attribute.name
            let secrets = secrets(attribute.value, own)
            found +=
                secrets.isEmpty
                ? nested()?.secrets(in: attribute.value, of: bytes) ?? [] : secrets
        }
        let text = bytes.trimming(.space, tag.text)
        guard !text.isEmpty else { return found }
        let local = tag.name.lowercased()
        if Self.labels.contains(local) {
            label = string(text)
        } else if let known = label, Self.values.contains(local) {
            label = nil
            return found + secrets(text, known)
        }
        return found + secrets(text, value == nil ? name ?? tag.name : tag.name)
    }

    private static let labels: Set = ["name", "key", "id"]
    private static let values: Set = [
        "value", "string", "data", "integer", "int", "i4", "base64", "val", "text",
    ]
}
