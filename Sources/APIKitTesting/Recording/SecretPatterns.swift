import Foundation

/// A search for many texts at once, each of at least eight bytes.
///
/// The time hardly grows with the number of texts. The search looks at three bytes, and skips up to
/// six if no text contains them (Wu and Manber, "A fast algorithm for multi-pattern searching").
struct SecretPatterns {
    private struct Pattern {
        let bytes: [UInt8]
        let index: Int
        /// The longest other pattern that is the start of this one.
        var start: Int?
    }

    /// The patterns in ascending order.
    ///
    /// Tokens often start with the same bytes, so their hashes select too many of them.
    private var patterns: [Pattern] = []
    /// For each hash of three bytes, how far the search can move.
    private var shifts: [UInt8]
    private static let window = 8

    init(_ texts: [[UInt8]]) {
        shifts = Array(repeating: UInt8(Self.window - 2), count: 1 << 16)
        patterns = texts.indices.filter { texts[$0].count >= Self.window }
            .map { Pattern(bytes: texts[$0], index: $0) }
            .sorted {
                let order = order(of: $0.bytes, $1.bytes, at: 0)
                return order == 0 ? $0.index > $1.index : order < 0
            }
        var starts: [Int] = []
        for number in patterns.indices {
            let pattern = patterns[number].bytes
            for end in 2..<Self.window {
                let hash = hash(pattern[end - 2], pattern[end - 1], pattern[end])
                shifts[hash] = min(shifts[hash], UInt8(Self.window - 1 - end))
            }
            while let last = starts.last, !hasText(patterns[last].bytes, pattern, at: 0) {
                starts.removeLast()
            }
            patterns[number].start = starts.last
            starts.append(number)
        }
    }

    /// Returns the occurrences, of which the first and the longest win over those that they overlap.
    func matches(in bytes: [UInt8]) -> [(range: Range<Int>, pattern: Int)] {
        guard !patterns.isEmpty else { return [] }
        var matches: [(range: Range<Int>, pattern: Int)] = []
        var start = 0
        while let found = candidate(in: bytes, from: start) {
            if let pattern = longestPattern(in: bytes, at: found) {
                start = found + pattern.bytes.count
                matches.append((found..<start, pattern.index))
            } else {
                start = found + 1
            }
        }
        return matches
    }

    /// Returns the longest pattern at a place.
    private func longestPattern(in bytes: [UInt8], at place: Int) -> Pattern? {
        var (low, high) = (0, patterns.count)
        while low < high {
            let middle = (low + high) / 2
            if order(of: patterns[middle].bytes, bytes, at: place) <= 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        // A pattern at this place is the start of the last pattern that is not greater.
        var number = low == 0 ? nil : low - 1
        while let current = number, !hasText(patterns[current].bytes, bytes, at: place) {
            number = patterns[current].start
        }
        return number.map { patterns[$0] }
    }

    /// Returns the next place at which a pattern may start.
    private func candidate(in bytes: [UInt8], from start: Int) -> Int? {
        // Pointers, because tests search recordings, and their builds are not optimized.
        bytes.withUnsafeBufferPointer { bytes in
            shifts.withUnsafeBufferPointer { shifts in
                guard let text = bytes.baseAddress, let shifts = shifts.baseAddress else {
                    return nil
                }
                var end = start + Self.window - 1
                while end < bytes.count {
                    let hash = hash(text[end - 2], text[end - 1], text[end])
                    if shifts[hash] == 0 { return end - Self.window + 1 }
                    end += Int(shifts[hash])
                }
                return nil
            }
        }
    }
}

/// Compares a pattern with the rest of a text, as `memcmp` does.
///
/// The start of a text precedes it.
private func order(of pattern: [UInt8], _ text: [UInt8], at place: Int) -> Int {
    let order = compare(pattern, text, at: place)
    return order == 0 ? pattern.count - (text.count - place) : order
}

/// Returns whether a text contains a pattern at a place.
private func hasText(_ pattern: [UInt8], _ text: [UInt8], at place: Int) -> Bool {
    pattern.count <= text.count - place && compare(pattern, text, at: place) == 0
}

/// Compares as many bytes as both have.
private func compare(_ pattern: [UInt8], _ text: [UInt8], at place: Int) -> Int {
    let count = min(pattern.count, text.count - place)
    return pattern.withUnsafeBytes { pattern in
        text.withUnsafeBytes { text in
            guard let first = pattern.baseAddress, let second = text.baseAddress else { return 0 }
            return Int(memcmp(first, second + place, count))
        }
    }
}

private func hash(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Int {
    (Int(first) << 10 ^ Int(second) << 5 ^ Int(third)) & 0xFFFF
}
