import Foundation

extension String {
    /// Joins some of the parts in random order.
    static func random(
        of parts: [String], _ count: ClosedRange<Int> = 0...8, using random: inout SeededGenerator
    ) -> String {
        (0..<Int.random(in: count, using: &random)).reduce(into: "") { text, _ in
            text += parts.randomElement(using: &random) ?? ""
        }
    }

    /// Replaces some bytes of the text, and cuts off its end.
    func garbled(using random: inout SeededGenerator) -> String {
        var bytes = Array(utf8)
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            guard let index = bytes.indices.randomElement(using: &random) else { break }
            bytes[index] = .random(in: 0...255, using: &random)
        }
        let length = Int.random(in: 0...bytes.count * 2, using: &random)
        return String(decoding: bytes.prefix(length), as: UTF8.self)
    }

    /// The text with a line feed for each CR and CRLF.
    var withLineFeeds: String {
        // Works on scalars, because CRLF is one character.
        let scalars = Array(unicodeScalars)
            .replacing(["\r", "\n"], with: ["\n"]).replacing(["\r"], with: ["\n"])
        return String(String.UnicodeScalarView(scalars))
    }
}

extension Data {
    /// Random bytes of a random count.
    static func random(_ count: ClosedRange<Int>, using random: inout SeededGenerator) -> Data {
        Data(
            (0..<Int.random(in: count, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            })
    }

    /// Splits the data before each position, in ascending order.
    func cut(at positions: [Int]) -> [Data] {
        zip([0] + positions, positions + [count]).map { Data(self[$0..<$1]) }
    }

    /// Splits the data at random positions.
    func cut(using random: inout SeededGenerator) -> [Data] {
        let positions = (0..<Int.random(in: 0...8, using: &random)).map { _ in
            Int.random(in: 0...count, using: &random)
        }
        return cut(at: positions.sorted())
    }

    /// The data split once at every position and, if it is short, twice at every pair of positions.
    ///
    /// Without stress, the second piece has at most four bytes, so that it is within a character or a line
    /// ending, or between two of them.
    var everyCut: [[Data]] {
        let cuts = (0...count).map { cut(at: [$0]) }
        guard count <= 40 else { return cuts }
        return cuts
            + (0...count).flatMap { first in
                (first...(Stress.isFull ? count : Swift.min(first + 4, count)))
                    .map { cut(at: [first, $0]) }
            }
    }
}
