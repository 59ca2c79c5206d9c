import Testing

// A subscript that is out of range ends the process, and with it the results of all other tests.

extension Collection {
    /// The element at an offset, or `nil`.
    subscript(at offset: Int) -> Element? { dropFirst(offset).first }
}

extension Array {
    /// Changes the element at an offset.
    mutating func change(at offset: Int, _ change: (inout Element) throws -> Void) throws {
        try #require(indices.contains(offset), "there is no element \(offset) of \(count)")
        try change(&self[offset])
    }
}
