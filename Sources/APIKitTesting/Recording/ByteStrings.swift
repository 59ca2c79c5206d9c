import APIKit
import Foundation

/// Texts to find in other texts, such as placeholders and secrets.
///
/// A text of fewer than eight bytes counts only if it is the whole text.
struct ByteStrings: Sendable {
    typealias Occurrence = (range: Range<Int>, value: String)

    /// The texts by their last eight bytes, the longest first, because many tokens start alike.
    private var texts: [UInt64: [(bytes: [UInt8], value: String)]] = [:]
    /// For each pair of bytes, whether a text ends with it, because a dictionary is slower.
    private var ends = [Bool](repeating: false, count: 1 << 16)
    private var short: [[UInt8]: String] = [:]

    /// - Parameter texts: The texts, and a value for each.
    init(_ texts: some Sequence<(bytes: [UInt8], value: String)>) {
        for text in texts {
            guard text.bytes.count >= 8 else {
                short[text.bytes] = text.value
                continue
            }
            let window = text.bytes.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            self.texts[window, default: []].append(text)
            ends[Int(window & 0xFFFF)] = true
        }
        self.texts = self.texts.mapValues { $0.sorted { $0.bytes.count > $1.bytes.count } }
    }

    init(placeholders: [String]) {
        self.init(Set(placeholders).map { (bytes: Array($0.utf8), value: $0) })
    }

    var isEmpty: Bool { texts.isEmpty && short.isEmpty }

    /// Returns the values of the texts in a text, in order.
    func values(in text: String) -> [String] {
        isEmpty ? [] : occurrences(in: Array(text.utf8)).map(\.value)
    }

    /// Returns a text with the values, or with a mask, in place of the texts.
    func replacing(in text: String, with mask: String? = nil) -> String {
        replacing(in: Array(text.utf8), with: mask)
            .map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// Returns a body with the values, or with a mask, in place of the texts.
    func replacing(in body: Data, with mask: String? = nil) -> Data {
        replacing(in: Array(body), with: mask).map { Data($0) } ?? body
    }

    private func replacing(in bytes: [UInt8], with mask: String?) -> [UInt8]? {
        let found = occurrences(in: bytes)
        guard !found.isEmpty else { return nil }
        var (result, end) = ([UInt8](), 0)
        for (range, value) in found {
            result += bytes[end..<range.lowerBound] + Array((mask ?? value).utf8)
            end = range.upperBound
        }
        return result + bytes[end...]
    }

    /// Returns where the texts occur, in order, and the longest of texts that overlap.
    func occurrences(in bytes: [UInt8]) -> [Occurrence] {
        if bytes.count < 8 { return short[bytes].map { [(bytes.indices, $0)] } ?? [] }
        guard !texts.isEmpty else { return [] }
        var found: [Occurrence] = []
        // Pointers are fast even in a build without optimization, in which tests search recordings.
        bytes.withUnsafeBufferPointer { bytes in
            ends.withUnsafeBufferPointer { ends in
                var window: UInt64 = 0
                for index in bytes.indices {
                    window = window << 8 | UInt64(bytes[index])
                    guard ends[Int(window & 0xFFFF)],
                        let text = texts[window]?.first(where: { text in
                            let start = index + 1 - text.bytes.count
                            return start >= 0 && bytes[start...index].elementsEqual(text.bytes)
                        })
                    else { continue }
                    let range = (index + 1 - text.bytes.count)..<(index + 1)
                    while let last = found.last, last.range.lowerBound >= range.lowerBound {
                        found.removeLast()
                    }
                    let end = found.last?.range.upperBound ?? 0
                    if range.lowerBound >= end { found.append((range, text.value)) }
                }
            }
        }
        return found
    }
}
