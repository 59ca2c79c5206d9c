import Foundation

extension Data {
    /// The data cut before each of some positions, which are in order.
    func cut(at positions: [Int]) -> [Data] {
        zip([0] + positions, positions + [count]).map { Data(self[$0..<$1]) }
    }

    /// The data cut at random positions.
    func cut(using random: inout SeededGenerator) -> [Data] {
        let positions = (0..<Int.random(in: 0...8, using: &random)).map { _ in
            Int.random(in: 0...count, using: &random)
        }
        return cut(at: positions.sorted())
    }

    /// The data cut once at every position, and, if it is short, twice at every pair of them.
    var everyCut: [[Data]] {
        let cuts = (0...count).map { cut(at: [$0]) }
        guard count <= 40 else { return cuts }
        return cuts
            + (0...count).flatMap { first in (first...count).map { cut(at: [first, $0]) } }
    }

    /// A text made of some of the parts, in random order.
    static func random(of parts: [String], using random: inout SeededGenerator) -> Data {
        (0..<Int.random(in: 0...60, using: &random)).reduce(into: Data()) { data, _ in
            data += (parts.randomElement(using: &random) ?? "").utf8
        }
    }
}
