/// A search for many texts at once, each of at least eight bytes.
///
/// The time hardly grows with the number of texts. The search looks at three bytes, and skips up to
/// six if no text contains them (Wu and Manber, "A fast algorithm for multi-pattern searching").
struct SecretPatterns {
    private let patterns: [[UInt8]]
    /// For each hash of three bytes, how far the search can move.
    private var shifts: [UInt8]
    /// The patterns whose first eight bytes end with three bytes of this hash, the longest first.
    private var candidates: [Int: [Int]] = [:]
    private static let window = 8

    init(_ patterns: [[UInt8]]) {
        self.patterns = patterns
        shifts = Array(repeating: UInt8(Self.window - 2), count: 1 << 16)
        for index in patterns.indices.sorted(by: { patterns[$0].count > patterns[$1].count }) {
            let pattern = patterns[index]
            guard pattern.count >= Self.window else { continue }
            for end in 2..<Self.window {
                let hash = hash(pattern[end - 2], pattern[end - 1], pattern[end])
                shifts[hash] = min(shifts[hash], UInt8(Self.window - 1 - end))
                if end == Self.window - 1 { candidates[hash, default: []].append(index) }
            }
        }
    }

    /// Returns the occurrences, of which the first and the longest win over those that they overlap.
    func matches(in bytes: [UInt8]) -> [(range: Range<Int>, pattern: Int)] {
        guard !candidates.isEmpty else { return [] }
        var matches: [(range: Range<Int>, pattern: Int)] = []
        var start = 0
        while let found = candidate(in: bytes, from: start) {
            let match = candidates[found.hash]?.first {
                found.start + patterns[$0].count <= bytes.count
                    && bytes[found.start...].starts(with: patterns[$0])
            }
            if let match {
                let end = found.start + patterns[match].count
                matches.append((found.start..<end, match))
                start = end
            } else {
                start = found.start + 1
            }
        }
        return matches
    }

    /// Returns the next place at which a pattern may start.
    private func candidate(in bytes: [UInt8], from start: Int) -> (start: Int, hash: Int)? {
        // Pointers, because tests search recordings, and their builds are not optimized.
        bytes.withUnsafeBufferPointer { bytes in
            shifts.withUnsafeBufferPointer { shifts in
                guard let text = bytes.baseAddress, let shifts = shifts.baseAddress else {
                    return nil
                }
                var end = start + Self.window - 1
                while end < bytes.count {
                    let hash = hash(text[end - 2], text[end - 1], text[end])
                    if shifts[hash] == 0 { return (end - Self.window + 1, hash) }
                    end += Int(shifts[hash])
                }
                return nil
            }
        }
    }
}

private func hash(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Int {
    (Int(first) << 10 ^ Int(second) << 5 ^ Int(third)) & 0xFFFF
}
