extension String {
    /// A text made of some of the parts, in random order.
    static func random(
        of parts: [String], _ count: ClosedRange<Int> = 0...8, using random: inout SeededGenerator
    ) -> String {
        (0..<Int.random(in: count, using: &random)).reduce(into: "") { text, _ in
            text += parts.randomElement(using: &random) ?? ""
        }
    }

    /// The text with some of its bytes replaced, or cut off.
    func garbled(using random: inout SeededGenerator) -> String {
        var bytes = Array(utf8)
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            guard let index = bytes.indices.randomElement(using: &random) else { break }
            bytes[index] = .random(in: 0...255, using: &random)
        }
        let length = Int.random(in: 0...bytes.count * 2, using: &random)
        return String(decoding: bytes.prefix(length), as: UTF8.self)
    }
}
