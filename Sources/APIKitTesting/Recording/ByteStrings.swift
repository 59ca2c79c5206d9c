import APIKit
import Foundation

/// Texts to find in other texts, such as placeholders and secrets, and the values in their place.
///
/// A text of fewer than eight bytes counts only if it is the whole text.
struct ByteStrings: Sendable {
    private var values: [[UInt8]: String] = [:]
    /// Whether a text does not count within a longer word.
    private let areWords: Bool
    /// The lengths by the last eight bytes of the texts, the longest first, because many tokens start
    /// alike.
    private var lengths: [UInt64: [Int]] = [:]
    /// A bit for each pair of bytes, which is set if a text ends with it, because a dictionary is slower.
    private var ends = [UInt64](repeating: 0, count: 1 << 10)

    /// - Parameters:
    ///   - texts: The texts, and a value for each.
    ///   - areWords: Whether a text does not count within a longer word.
    init(_ texts: some Sequence<(bytes: [UInt8], value: String)>, areWords: Bool = false) {
        self.areWords = areWords
        values = Dictionary(texts.map { ($0.bytes, $0.value) }) { first, _ in first }
        for text in values.keys where text.count >= 8 {
            let window = text.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            lengths[window, default: []].append(text.count)
            ends[Int(window >> 6 & 0x3FF)] |= 1 &<< window
        }
        lengths = lengths.mapValues { $0.sorted(by: >) }
    }

    /// Creates texts with a mask in place of each.
    init(placeholders: [String]) {
        self.init(placeholders.map { (bytes: Array($0.utf8), value: Redaction.mask) })
    }

    var isEmpty: Bool { values.isEmpty }

    /// Returns those of some texts that occur in bytes, also the short ones, in their order.
    static func texts(_ texts: [String], in bytes: [UInt8]) -> [String] {
        var found = Set(
            ByteStrings(placeholders: texts).occurrences(in: bytes)
                .map { String(decoding: bytes[$0.range], as: UTF8.self) })
        // One search for all texts of a length, because there can be thousands.
        for (count, short) in Dictionary(grouping: texts, by: \.utf8.count) where 1..<8 ~= count {
            let windows = Dictionary(
                short.map { ($0.utf8.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }, $0) }
            ) { $1 }
            var window: UInt64 = 0
            for (index, byte) in bytes.enumerated() {
                window = (window << 8 | UInt64(byte)) & (1 << (8 * UInt64(count)) - 1)
                if index + 1 >= count, let text = windows[window] { found.insert(text) }
            }
        }
        return texts.filter(found.contains)
    }

    /// Returns the bytes with the values in place of the texts.
    func replacing(in bytes: [UInt8]) -> [UInt8] {
        var (result, end) = ([UInt8](), 0)
        for (range, value) in occurrences(in: bytes) {
            result += bytes[end..<range.lowerBound] + Array(value.utf8)
            end = range.upperBound
        }
        return end == 0 ? bytes : result + bytes[end...]
    }

    /// Returns where the texts occur, in order, and the longest of texts that overlap.
    func occurrences(in bytes: [UInt8]) -> [(range: Range<Int>, value: String)] {
        if isEmpty { return [] }
        if bytes.count < 8 { return values[bytes].map { [(bytes.indices, $0)] } ?? [] }
        var found: [(range: Range<Int>, value: String)] = []
        // Pointers are fast even in a build without optimization, in which tests search recordings.
        bytes.withUnsafeBufferPointer { bytes in
            ends.withUnsafeBufferPointer { ends in
                var window: UInt64 = 0
                for index in bytes.indices {
                    window = window << 8 | UInt64(bytes[index])
                    guard ends[Int(window >> 6 & 0x3FF)] & 1 &<< window != 0,
                        let lengths = lengths[window]
                    else { continue }
                    for start in lengths.map({ index + 1 - $0 }) where start >= 0 {
                        guard let value = values[Array(bytes[start...index])],
                            !areWords || bytes.isWord(start..<(index + 1))
                        else { continue }
                        while let last = found.last, last.range.lowerBound >= start {
                            found.removeLast()
                        }
                        if start >= found.last?.range.upperBound ?? 0 {
                            found.append((start..<(index + 1), value))
                        }
                        break
                    }
                }
            }
        }
        return found
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns whether neither a letter nor a digit is directly before and after a range.
    fileprivate func isWord(_ range: Range<Int>) -> Bool {
        [range.lowerBound - 1, range.upperBound].allSatisfy {
            !indices.contains($0) || !ByteSet.alphanumerics.contains(self[$0])
        }
    }
}
