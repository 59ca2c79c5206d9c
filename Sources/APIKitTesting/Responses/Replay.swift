/// A sequence of elements that are known, however often it is asked.
struct Replay<Element: Sendable>: AsyncSequence, Sendable {
    let elements: [Element]

    func makeAsyncIterator() -> Iterator { Iterator(rest: elements[...]) }

    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<Element>

        mutating func next() async -> Element? { rest.popFirst() }
    }
}
