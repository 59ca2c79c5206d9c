import APIKit
import Foundation

/// The placeholders of a recording, each of which stands for one value in a running test.
struct PlaceholderSet: Sendable {
    /// The empty set, for a pattern that a test writes.
    static let none = PlaceholderSet()

    private var texts: Set<String> = []
    /// The placeholders with eight or more bytes, by their first eight bytes.
    private var starts: [UInt64: [[UInt8]]] = [:]

    private init() {}

    /// Creates the placeholders that a file lists, and older placeholders such as `REDACTED-1`.
    init(_ texts: some Sequence<String>) {
        starts[Self.start(of: Self.numbered)] = []
        for text in texts { insert(text) }
    }

    mutating func insert(_ text: String) {
        guard texts.insert(text).inserted, text.utf8.count >= 8 else { return }
        let bytes = Array(text.utf8)
        starts[Self.start(of: bytes), default: []].append(bytes)
        starts[Self.start(of: bytes)]?.sort { $0.count > $1.count }
    }

    /// Returns whether the whole text is a placeholder.
    func contains(_ text: String) -> Bool {
        texts.contains(text)
            || !starts.isEmpty && text.hasPrefix("REDACTED-")
                && occurrences(in: Array(text.utf8)) == [0..<text.utf8.count]
    }

    /// Adds the placeholders' values if a recorded text has placeholders and matches a text.
    func match(_ recorded: String?, _ text: String?, _ values: inout [String: String]) -> Bool {
        guard let recorded = recorded.map({ RecordedText($0, self) }), recorded.isOpen, let text
        else { return false }
        return recorded.addValues(in: text, to: &values)
    }

    /// Returns whether a text has a placeholder.
    func occur(in text: String) -> Bool {
        !starts.isEmpty && (contains(text) || !occurrences(in: Array(text.utf8)).isEmpty)
    }

    /// Returns the ranges of the placeholders with eight or more bytes, without overlaps.
    func occurrences(in bytes: [UInt8]) -> [Range<Int>] {
        guard !starts.isEmpty, bytes.count >= 8 else { return [] }
        var ranges: [Range<Int>] = []
        // The window holds the last eight bytes, which select the placeholders that may start there.
        var (start, window) = (0, UInt64(0))
        for (index, byte) in bytes.enumerated() {
            window = window << 8 | UInt64(byte)
            guard index - 7 >= start, let found = starts[window],
                let end = end(ofOneOf: found, at: index - 7, in: bytes)
            else { continue }
            ranges.append((index - 7)..<end)
            start = end
        }
        return ranges
    }

    /// Returns a text with one letter in place of each placeholder.
    func blanked(_ bytes: [UInt8]) -> [UInt8] {
        var (blanked, start) = ([UInt8](), 0)
        for range in occurrences(in: bytes) {
            blanked += bytes[start..<range.lowerBound] + [UInt8(ascii: "x")]
            start = range.upperBound
        }
        return blanked + bytes[start...]
    }

    /// Returns the end of the placeholder at an index, or `nil` if only the first eight bytes
    /// match.
    private func end(ofOneOf candidates: [[UInt8]], at index: Int, in bytes: [UInt8]) -> Int? {
        let rest = bytes[index...]
        if let found = candidates.first(where: rest.starts) { return index + found.count }
        guard rest.starts(with: Self.numbered) else { return nil }
        let digits = rest.dropFirst(Self.numbered.count).prefix(while: ByteSet.digits.contains)
        return digits.isEmpty ? nil : digits.endIndex
    }

    private static let numbered = Array("REDACTED-".utf8)

    private static func start(of bytes: [UInt8]) -> UInt64 {
        bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// A text of a recording, in which each placeholder stands for any text.
struct RecordedText: Sendable, Hashable {
    /// The placeholders in their order.
    let names: [String]
    /// The texts before, between and after the placeholders.
    private let literals: [Data]

    init(_ text: String, _ placeholders: PlaceholderSet) {
        guard !placeholders.contains(text) else {
            (names, literals) = ([text], [Data(), Data()])
            return
        }
        let bytes = Array(text.utf8)
        var (names, literals, start) = ([String](), [Data](), 0)
        for range in placeholders.occurrences(in: bytes) {
            literals.append(Data(bytes[start..<range.lowerBound]))
            names.append(String(decoding: bytes[range], as: UTF8.self))
            start = range.upperBound
        }
        self.names = names
        self.literals = literals + [Data(bytes[start...])]
    }

    /// Whether the text has a placeholder.
    var isOpen: Bool { !names.isEmpty }

    /// Adds the values of the placeholders in a text.
    ///
    /// - Returns: Whether the text matches, and no placeholder has two values.
    func addValues(in text: String, to values: inout [String: String]) -> Bool {
        var rest = Data(text.utf8)
        guard let first = literals.first, let last = literals.last else { return false }
        guard isOpen else { return rest == first }
        guard rest.count >= first.count + last.count, rest.starts(with: first),
            rest.suffix(last.count).elementsEqual(last)
        else { return false }
        rest = rest.dropFirst(first.count).dropLast(last.count)
        for (index, name) in names.enumerated() {
            var end = rest.endIndex..<rest.endIndex
            if index < names.count - 1 {
                // Two adjacent placeholders share their text.
                let literal = literals[index + 1]
                guard let found = literal.isEmpty ? end : rest.range(of: literal) else {
                    return false
                }
                end = found
            }
            let value = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
            guard values.updateValue(value, forKey: name) ?? value == value else { return false }
            rest = rest[end.upperBound...]
        }
        return true
    }

    /// Returns whether a text matches.
    func accepts(_ text: String) -> Bool {
        var values: [String: String] = [:]
        return addValues(in: text, to: &values)
    }
}
