/// A replacement of some bytes of a text.
package struct TextEdit {
    package let range: Range<Int>
    package let text: [UInt8]

    package init(_ range: Range<Int>, _ text: [UInt8]) {
        self.range = range
        self.text = text
    }
}

extension [TextEdit] {
    /// Returns the bytes with all edits applied.
    package func applied(to bytes: [UInt8]) -> [UInt8] {
        var (result, end) = ([UInt8](), 0)
        result.reserveCapacity(bytes.count)
        for edit in withoutOverlaps {
            result += bytes[end..<edit.range.lowerBound]
            result += edit.text
            end = edit.range.upperBound
        }
        result += bytes[end...]
        return result
    }

    /// The edits in ascending order, with one in place of those that overlap.
    package var withoutOverlaps: [TextEdit] {
        let isSorted = zip(self, dropFirst()).allSatisfy {
            $0.range.upperBound <= $1.range.lowerBound
        }
        if isSorted { return self }
        return sorted { $0.range.lowerBound < $1.range.lowerBound }.reduce(into: []) {
            guard let last = $0.last, $1.range.lowerBound < last.range.upperBound else {
                $0.append($1)
                return
            }
            let end = Swift.max(last.range.upperBound, $1.range.upperBound)
            $0[$0.count - 1] = TextEdit(last.range.lowerBound..<end, last.text)
        }
    }
}

/// A set of bytes.
package struct ByteSet: Sendable {
    fileprivate let table: [Bool]

    package init(_ contains: (UInt8) -> Bool) {
        table = (0...255).map { contains(UInt8($0)) }
    }

    package init(_ bytes: String) {
        self.init(bytes.utf8.contains)
    }

    package func contains(_ byte: UInt8) -> Bool { table[Int(byte)] }

    package var inverted: ByteSet { ByteSet { !contains($0) } }

    package static let space = ByteSet(" \n\r\t")
    package static let digits = ByteSet("0123456789")
}

extension [UInt8] {
    /// Returns the index of the first byte of a set, or the end of the range if there is none.
    package func index(of set: ByteSet, in range: Range<Int>) -> Int {
        // Pointers, because recordings are searched by tests, whose builds are not optimized.
        withUnsafeBufferPointer { bytes in
            set.table.withUnsafeBufferPointer { table in
                guard let bytes = bytes.baseAddress, let table = table.baseAddress else {
                    return range.upperBound
                }
                var index = range.lowerBound
                while index < range.upperBound, !table[Int(bytes[index])] { index += 1 }
                return index
            }
        }
    }

    /// Returns whether a text follows at an index.
    package func hasText(_ text: StaticString, at index: Int) -> Bool {
        let count = text.utf8CodeUnitCount
        guard index >= 0, count <= self.count - index else { return false }
        return text.withUTF8Buffer { self[index..<(index + count)].elementsEqual($0) }
    }
}
