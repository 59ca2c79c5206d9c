import Foundation

/// Chunks that are there already, and the error that comes after them, if any.
struct Pieces: AsyncSequence, Sendable {
    typealias Element = Data

    var pieces: [Data]
    var error: (any Error)?

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pieces: pieces.makeIterator(), error: error)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        var pieces: IndexingIterator<[Data]>
        let error: (any Error)?

        mutating func next() async throws -> Data? {
            if let piece = pieces.next() { return piece }
            if let error { throw error }
            return nil
        }
    }
}
