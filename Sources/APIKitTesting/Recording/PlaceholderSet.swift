import APIKit
import Foundation

/// The placeholders of a recording, and where they occur.
struct PlaceholderSet: Sendable {
    private let texts: Set<String>
    private let longer: ByteStrings

    init(_ texts: some Sequence<String>) {
        self.texts = Set(texts)
        longer = ByteStrings(self.texts.map { (Array($0.utf8), $0) })
    }

    var isEmpty: Bool { texts.isEmpty }

    /// Returns the placeholders in a text, in order.
    ///
    /// A placeholder with fewer than eight bytes counts only as the whole text.
    func occurrences(in text: String) -> [String] {
        texts.contains(text) ? [text] : longer.occurrences(in: Array(text.utf8)).map(\.value)
    }

    /// Returns a text with a mask in place of each placeholder.
    func masking(_ text: String) -> String {
        texts.contains(text) ? Redaction.mask : longer.replacing(in: text) { _ in Redaction.mask }
    }

    /// Returns a body with a mask in place of each placeholder.
    func masking(_ body: Data) -> Data { longer.replacing(in: body) { _ in Redaction.mask } }
}

/// Texts of eight or more bytes to find in other texts.
struct ByteStrings: Sendable {
    typealias Occurrence = (range: Range<Int>, value: String)

    /// The texts by their last eight bytes, the longest first, because many tokens start alike.
    private var texts: [UInt64: [(bytes: [UInt8], value: String)]] = [:]
    /// For each pair of bytes, whether a text ends with it, because a dictionary is slower.
    private var ends = [Bool](repeating: false, count: 1 << 16)

    /// - Parameter texts: The texts, and a value for each. Texts of fewer bytes do not count.
    init(_ texts: [(bytes: [UInt8], value: String)]) {
        for text in texts where text.bytes.count >= 8 {
            let window = text.bytes.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            self.texts[window, default: []].append(text)
            ends[Int(window & 0xFFFF)] = true
        }
        self.texts = self.texts.mapValues { $0.sorted { $0.bytes.count > $1.bytes.count } }
    }

    /// Returns where the texts occur, in order, and the longest of texts that overlap.
    func occurrences(in bytes: [UInt8]) -> [Occurrence] {
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

    /// Returns a text with each occurrence replaced.
    func replacing(in text: String, with replacement: (String) -> String) -> String {
        replacing(in: Array(text.utf8), with: replacement)
            .map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// Returns a body with each occurrence replaced.
    func replacing(in body: Data, with replacement: (String) -> String) -> Data {
        replacing(in: Array(body), with: replacement).map { Data($0) } ?? body
    }

    private func replacing(in bytes: [UInt8], with replacement: (String) -> String) -> [UInt8]? {
        let found = occurrences(in: bytes)
        guard !found.isEmpty else { return nil }
        var (result, end) = ([UInt8](), 0)
        for (range, value) in found {
            result += bytes[end..<range.lowerBound] + Array(replacement(value).utf8)
            end = range.upperBound
        }
        return result + bytes[end...]
    }
}
