import APIKit
import Foundation

/// A text of a ``RequestKey``, compared by its bytes.
///
/// In a recorded request, a placeholder such as `REDACTED-1` stands for any text.
struct KeyText: Hashable, Sendable {
    private static let placeholder = Data(SecretTable.prefix.utf8)

    /// The bytes between the placeholders.
    private let pieces: [[UInt8]]

    init(_ data: Data, isRecorded: Bool) {
        pieces = isRecorded ? KeyText.pieces(of: data) : [Array(data)]
    }

    private static func pieces(of data: Data) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var start = data.startIndex
        for found in data.occurrences(of: placeholder) {
            let digits = data[found.upperBound...].prefix(while: ByteSet.digits.contains)
            guard !digits.isEmpty else { continue }
            pieces.append(Array(data[start..<found.lowerBound]))
            start = digits.endIndex
        }
        return pieces + [Array(data[start...])]
    }

    /// Whether the text has a placeholder.
    var isOpen: Bool { pieces.count > 1 }

    /// Returns whether another text is equal, apart from the placeholders of this one.
    func accepts(_ other: KeyText) -> Bool {
        guard isOpen, self != other, let first = pieces.first, let last = pieces.last else {
            return self == other
        }
        let text = Data(other.pieces.joined())
        guard text.count >= first.count + last.count, text.starts(with: first),
            text.suffix(last.count).elementsEqual(last)
        else { return false }
        var rest = text.dropFirst(first.count).dropLast(last.count)
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let found = rest.range(of: Data(piece)) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }

    /// Appends a text that no other text with the same start has.
    func write(to text: inout [UInt8]) {
        text += "\(pieces.count):".utf8
        for piece in pieces {
            text += "\(piece.count):".utf8
            text += piece
        }
    }

    /// The number of bytes.
    var count: Int { pieces.map(\.count).reduce(0, +) }

    /// The text in a failure, or the number of its bytes if it is no text.
    var harmless: String {
        let text = shown.start
        let isText = text.unicodeScalars.allSatisfy {
            $0 != "\u{FFFD}"
                && ($0.properties.generalCategory != .control || $0.properties.isWhitespace)
        }
        return isText
            ? Redaction.secrets.text(ofValue: text).shortened(to: 200) : "\(count) bytes"
    }

    /// The whole text.
    var shown: String {
        pieces.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "REDACTED")
    }
}
