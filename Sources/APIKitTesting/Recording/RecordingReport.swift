import APIKit
import Foundation

extension RecordedSecrets {
    /// Returns the lines after a recording, without secrets.
    ///
    /// They name the masked values, and the places of values that look random and are left. UUIDs,
    /// hashes, entity tags and request IDs are not listed.
    func report(on entries: [RecordedExchange]) -> String {
        let known = ByteStrings(placeholders: placeholders)
        var left: [String: [Int]] = [:]
        for (index, entry) in entries.enumerated() {
            for (place, text) in entry.texts
            where !Self.identifiers.contains(where: place.name.lowercased().hasSuffix) {
                let words = known.replacing(in: text).split(whereSeparator: Self.noWord.contains)
                for word in words
                where Self.looksLikeASecret(String(decoding: word, as: UTF8.self)) {
                    left[place.name, default: []].append(index + 1)
                }
            }
        }
        let names = LimitedList(
            masked.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                .map { "\($0.key.shortened(to: 40)) \($0.value)" }, showing: 7)
        let lines = LimitedList(
            left.sorted { $0.key < $1.key }.map { place, numbers in
                "looks random and was left: \(numbers.count) in the \(place.shortened(to: 80)), "
                    + "first in entry \(numbers[0])"
            }, showing: 7)
        let count = masked.values.reduce(0, +)
        return "\(count) secret\(count == 1 ? "" : "s") masked"
            + (masked.isEmpty ? "" : ": " + names.textOnOneLine) + lines.lines(noun: "place")
    }

    private static let noWord = ByteSet.alphanumerics.union("_-.+~").inverted
    private static let identifiers = [
        "etag", "if-none-match", "request-id", "trace-id", "cf-ray", "traceparent", "content-type",
    ]

    private static func looksLikeASecret(_ word: String) -> Bool {
        let shape = TextShape(word)
        let isHash = word.utf8.count >= 24 && word.utf8.allSatisfy(ByteSet.hexDigits.contains)
        return word.utf8.count >= 12 && shape.isRandom() && !shape.isUUID && !isHash
    }
}
