import Foundation

extension ByteSet {
    static let blanks = ByteSet(" \t")
    static let quote = ByteSet("\"")
    static let apostrophe = ByteSet("'")
    static let less = ByteSet("<")
    static let semicolon = ByteSet(";")
}

extension [UInt8] {
    /// Returns a range without leading and trailing bytes of a set.
    package func trimming(_ set: ByteSet, _ range: Range<Int>) -> Range<Int> {
        let start = index(of: set.inverted, in: range)
        return start..<startOfLast(set, in: start..<range.upperBound)
    }

    /// Returns the index from which a range has only bytes of a set, or its end if there is none.
    func startOfLast(_ set: ByteSet, in range: Range<Int>) -> Int {
        var start = range.upperBound
        while start > range.lowerBound, set.contains(self[start - 1]) { start -= 1 }
        return start
    }

    /// Returns whether the bytes at an index equal a text.
    package func hasText(_ text: StaticString, at index: Int) -> Bool {
        let count = text.utf8CodeUnitCount
        guard index >= 0, count <= self.count - index else { return false }
        return text.withUTF8Buffer { self[index..<(index + count)].elementsEqual($0) }
    }
}

extension [UInt8] {
    /// Returns the length of the scheme before credentials (RFC 9110, section 11.4) and its space.
    func credentialsScheme(in range: Range<Int>) -> Int {
        let limit = Swift.min(range.upperBound, range.lowerBound + 16)
        let end = index(of: ByteSet.space, in: range.lowerBound..<limit)
        guard end < limit, end + 1 < range.upperBound else { return 0 }
        let scheme = String(decoding: self[range.lowerBound..<end], as: UTF8.self).lowercased()
        let known = [
            "bearer", "basic", "token", "negotiate", "ntlm", "apikey", "dpop", "jwt", "key", "bot",
        ]
        return known.contains(scheme) ? end + 1 - range.lowerBound : 0
    }

    /// Returns the parts of a range, split at the bytes of a set.
    package func ranges(in range: Range<Int>, separatedBy separators: ByteSet) -> [Range<Int>] {
        var (ranges, start) = ([Range<Int>](), range.lowerBound)
        while true {
            let end = index(of: separators, in: start..<range.upperBound)
            ranges.append(start..<end)
            guard end < range.upperBound else { return ranges }
            start = end + 1
        }
    }

    /// Returns whether the bytes are valid UTF-8 without a NUL.
    package func isText(_ range: Range<Int>) -> Bool {
        !self[range].contains(0) && String(bytes: self[range], encoding: .utf8) != nil
    }
}

extension Data {
    /// The bytes as UTF-8 text, or `nil` if they are not valid UTF-8 or contain a NUL.
    package var utf8Text: String? {
        let text = String(decoding: self, as: UTF8.self)
        // The conversion replaces invalid bytes, so the result then differs.
        return !contains(0) && text.utf8.elementsEqual(self) ? text : nil
    }

    /// Transforms the bytes, or the UTF-8 form of UTF-16 text, unless the transform returns `nil`.
    package func mapText(_ transform: ([UInt8]) -> [UInt8]?) -> Data {
        guard let (text, encoding) = utf16Text else {
            return transform(Array(self)).map { Data($0) } ?? self
        }
        return transform(Array(text.utf8)).flatMap {
            String(decoding: $0, as: UTF8.self).data(using: encoding)
        } ?? self
    }

    /// The text of UTF-16 data, whose first bytes show the byte order (RFC 4627, section 3).
    private var utf16Text: (String, String.Encoding)? {
        let encoding: String.Encoding
        switch (first ?? 0, dropFirst().first ?? 0) {
        case (0xFF, 0xFE), (1..., 0): encoding = .utf16LittleEndian
        case (0xFE, 0xFF), (0, 1...): encoding = .utf16BigEndian
        default: return nil
        }
        // Data that does not convert back to the same bytes must not change.
        guard count > 1, let text = String(data: self, encoding: encoding),
            text.data(using: encoding) == self
        else { return nil }
        return (text, encoding)
    }
}

extension String {
    /// Transforms the UTF-8 bytes, unless the transform returns `nil`.
    package func mapText(_ transform: ([UInt8]) -> [UInt8]?) -> String {
        transform(Array(utf8)).map { String(decoding: $0, as: UTF8.self) } ?? self
    }
}
