import Foundation

extension Data {
    /// Returns the ranges at which other data occurs, without overlaps.
    func occurrences(of other: Data) -> [Range<Index>] {
        // On Linux, each `range(of:in:)` of `Data` copies all bytes into an `NSData`.
        let data = NSData(data: self)
        var ranges: [Range<Index>] = []
        var rest = NSRange(location: 0, length: data.length)
        while case let found = data.range(of: other, in: rest), found.length > 0 {
            ranges.append((startIndex + found.lowerBound)..<(startIndex + found.upperBound))
            rest = NSRange(found.upperBound..<data.length)
        }
        return ranges
    }
}
