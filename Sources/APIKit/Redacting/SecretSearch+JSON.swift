/// A string, a number, an object or any other value of a JSON text.
private struct Node {
    enum Kind { case object, array, string, literal }

    let kind: Kind
    /// The value, without the quotes of a string.
    let range: Range<Int>
    /// The name of a member, without its quotes.
    let name: Range<Int>?
    /// The index of the first node after this one and its descendants.
    var end: Int
}

extension SecretSearch {
    /// Finds the secrets in JSON text, which may be truncated, or returns `nil` for other text.
    ///
    /// Outside of strings, JSON allows only certain characters. A text with any other character
    /// there, such as a log line that starts with a bracket, is not JSON.
    ///
    /// - Parameters:
    ///   - range: The text.
    ///   - bytes: The bytes that contain the text.
    ///   - root: The rule for the name of the whole text.
    /// - Returns: The secrets in the order in which they occur.
    func secrets(
        inJSON range: Range<Int>, of bytes: [UInt8], below root: SecretRule = .none
    ) -> [FoundSecret]? {
        let isPrefixed = bytes.hasText("\u{FEFF}", at: range.lowerBound) && range.count >= 3
        let start = isPrefixed ? range.lowerBound + 3 : range.lowerBound
        guard let nodes = nodes(in: start..<range.upperBound, of: bytes) else { return nil }
        var found: [FoundSecret] = []
        // The rules and names of the arrays and objects that contain the current node.
        var parents: [(end: Int, name: String, items: SecretRule, members: SecretRule)] = []
        var pairs: [Int: String] = [:]
        for (index, node) in nodes.enumerated() {
            while let parent = parents.last, parent.end <= index { parents.removeLast() }
            let parent = parents.last
            var name = parent?.name ?? ""
            var rule = node.name == nil ? parent?.items ?? root : parent?.members ?? .none
            if let range = node.name {
                let own = String(
                    decoding: UnescapedText(json: range, of: bytes).bytes, as: UTF8.self)
                let ownRule = self.rule(for: own)
                if own == "value", let parent { rule = parent.items }
                if !rule.isAdded, ownRule.mayHide || ownRule.isExcluded || rule.strength == .none {
                    (name, rule) = (own, ownRule)
                }
            }
            if let pair = pairs[index] { (name, rule) = (pair, self.rule(for: pair)) }
            // The identifier of a session or a token may be the secret itself.
            if parent?.items.mayHide == true { rule.isWeak = false }
            switch node.kind {
            case .string: found += secrets(inString: node.range, of: bytes, rule, name)
            case .literal:
                found += secrets(
                    inValue: node.range, of: bytes, rule: rule, name: name, isNumber: true)
            case .object, .array:
                if node.kind == .object, let pair = self.pair(in: nodes, at: index, of: bytes) {
                    pairs[pair.value] = pair.name
                }
                let nested = rule.nested
                // Inside a secret, a value with any name is a secret if it looks random.
                let members = rule.isSecret || parent?.members.mayHide == true ? nested : .none
                parents.append((node.end, name, nested, members))
            }
        }
        return found
    }

    private func secrets(
        inString range: Range<Int>, of bytes: [UInt8], _ rule: SecretRule, _ name: String
    ) -> [FoundSecret] {
        let plain = UnescapedText(json: range, of: bytes)
        let all = 0..<plain.bytes.count
        var found = secrets(inValue: all, of: plain.bytes, rule: rule, name: name)
        if found.isEmpty, bytes.index(of: Self.marks, in: range) < range.upperBound {
            found = nested()?.secrets(in: all, of: plain.bytes) ?? []
        }
        return found.map { $0.moved(to: plain.source(of: $0.range)) }
    }

    /// Returns the name and the index of the value of an object such as
    /// `{"name": "password", "value": "x"}`.
    private func pair(
        in nodes: [Node], at index: Int, of bytes: [UInt8]
    ) -> (name: String, value: Int)? {
        var names: [String: Int] = [:]
        var child = index + 1
        while child < nodes[index].end {
            if let name = nodes[child].name, name.count <= 5 {
                names[String(decoding: bytes[name], as: UTF8.self).lowercased()] = child
            }
            child = nodes[child].end
        }
        guard let value = names["value"] else { return nil }
        return ["name", "key", "id"].lazy.compactMap { names[$0] }
            .first { nodes[$0].kind == .string }
            .map { (String(decoding: bytes[nodes[$0].range], as: UTF8.self), value) }
    }

    /// Returns the values of a JSON text, or of several texts in sequence.
    ///
    /// The text may be truncated.
    private func nodes(in range: Range<Int>, of bytes: [UInt8]) -> [Node]? {
        var index = bytes.index(of: ByteSet.space.inverted, in: range)
        guard index < range.upperBound, "{[".utf8.contains(bytes[index]) else { return nil }
        var (nodes, open) = ([Node](), [Int]())
        var name: Range<Int>?
        func add(_ kind: Node.Kind, _ range: Range<Int>) {
            nodes.append(Node(kind: kind, range: range, name: name, end: nodes.count + 1))
            name = nil
        }
        while index < range.upperBound {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                let end = Self.endOfString(from: index, in: range, of: bytes)
                add(.string, (index + 1)..<max(index + 1, end.content))
                index = end.next
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                add(bytes[index] == UInt8(ascii: "{") ? .object : .array, index..<index)
                open.append(nodes.count - 1)
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if let last = open.popLast() { nodes[last].end = nodes.count }
                name = nil
                index += 1
            case UInt8(ascii: ":"):
                if let last = nodes.last, last.kind == .string { name = nodes.removeLast().range }
                index += 1
            case let byte where ByteSet.space.contains(byte) || byte == UInt8(ascii: ","):
                index += 1
            default:
                let end = bytes.index(of: Self.noLiteral, in: index..<range.upperBound)
                guard end > index else { return nil }
                add(.literal, index..<end)
                index = end
            }
        }
        for last in open { nodes[last].end = nodes.count }
        return nodes
    }

    /// Returns the index of a string's closing quote, and the index after it.
    ///
    /// If a truncated text lacks the quote, both are the end of the range.
    static func endOfString(
        from start: Int, in range: Range<Int>, of bytes: [UInt8]
    ) -> (content: Int, next: Int) {
        let stops =
            bytes[start] == UInt8(ascii: "\"") ? Self.quoteOrEscape : Self.apostropheOrEscape
        var index = start + 1
        while true {
            index = bytes.index(of: stops, in: min(index, range.upperBound)..<range.upperBound)
            guard index < range.upperBound else { return (index, index) }
            if bytes[index] == bytes[start] { return (index, index + 1) }
            index += 2
        }
    }

    private static let quoteOrEscape = ByteSet("\"\\")
    private static let apostropheOrEscape = ByteSet("'\\")
    /// The characters that mark a string with secrets inside: each such string has at least one.
    private static let marks = ByteSet("=:<@{%&\\")
    private static let noLiteral = ByteSet("0123456789+-.eEtrufalsnNIity").inverted
}
