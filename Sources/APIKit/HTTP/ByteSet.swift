/// A set of bytes.
package struct ByteSet: Sendable {
    fileprivate let table: [Bool]
    /// The table entry of each byte in the set, because a set and its inverse share a table.
    fileprivate let member: Bool

    package func contains(_ byte: UInt8) -> Bool { table[Int(byte)] == member }

    package var inverted: ByteSet { ByteSet(table: table, member: !member) }

    package func union(_ bytes: String) -> ByteSet {
        ByteSet { contains($0) || bytes.utf8.contains($0) }
    }

    package static let space = ByteSet(" \n\r\t")
    package static let digits = ByteSet("0123456789")
    package static let alphanumerics = ByteSet {
        digits.contains($0) || 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0
    }
    static let lineBreaks = ByteSet("\n\r")
    /// The ends of the authority of a URL in any text.
    fileprivate static let endsOfAuthority = ByteSet("/?# \n\r\t<>\"'`\\")
    package static let hexDigits = ByteSet("0123456789abcdefABCDEF")
}

extension ByteSet {
    package init(_ contains: (UInt8) -> Bool) {
        self.init(table: (0...255).map { contains(UInt8($0)) }, member: true)
    }

    package init(_ bytes: String) {
        self.init(bytes.utf8.contains)
    }
}

extension [UInt8] {
    /// Returns the index of the first byte of a set, or the end of the range if there is none.
    package func index(of set: ByteSet, in range: Range<Int>) -> Int {
        // Pointers are fast even in a build without optimization, in which tests search recordings.
        withUnsafeBufferPointer { bytes in
            set.table.withUnsafeBufferPointer { table in
                guard let bytes = bytes.baseAddress, let table = table.baseAddress else {
                    return range.upperBound
                }
                var index = range.lowerBound
                while index < range.upperBound, table[Int(bytes[index])] != set.member {
                    index += 1
                }
                return index
            }
        }
    }

    /// Returns the part of a URL's authority before the last separator of a kind, such as a user.
    ///
    /// It is empty if the authority at the index has no such separator.
    func prefixOfAuthority(at start: Int, upTo separator: UInt8) -> Range<Int> {
        let end = index(of: ByteSet.endsOfAuthority, in: start..<count)
        return start..<(self[start..<end].lastIndex(of: separator) ?? start)
    }

    /// Returns whether the bytes at an index equal a text.
    package func hasText(_ text: StaticString, at index: Int) -> Bool {
        let count = text.utf8CodeUnitCount
        // Few texts have the same first byte, and `elementsEqual` is slow in a debug build.
        guard index >= 0, count <= self.count - index, self[index] == text.utf8Start.pointee else {
            return false
        }
        return text.withUTF8Buffer { self[index..<(index + count)].elementsEqual($0) }
    }
}

extension Sequence<UInt8> {
    /// The bytes as a string.
    var text: String { String(decoding: Array(self), as: UTF8.self) }
}

/// A copy of a text in which ranges are replaced, in ascending order.
package struct ReplacedText {
    let source: [UInt8]
    private var copy: [UInt8] = []
    private var end: Int?

    package init(_ source: [UInt8]) { self.source = source }

    package mutating func replace(_ range: Range<Int>, with text: some Sequence<UInt8>) {
        copy += source[(end ?? 0)..<range.lowerBound]
        copy += text
        end = range.upperBound
    }

    /// The copy, or `nil` if no range was replaced.
    package var bytes: [UInt8]? { end.map { copy + source[$0...] } }
}
