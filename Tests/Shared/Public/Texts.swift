import APIKit
import Foundation

/// A sequence of texts, which counts those that are read, and can throw at its end.
struct Texts: AsyncSequence, Sendable {
    let texts: [String]
    let read = Locked(0)
    var error: (any Error)?

    init(_ texts: [String]) { self.texts = texts }

    init(_ texts: String..., error: (any Error)? = nil) {
        (self.texts, self.error) = (texts, error)
    }

    func makeAsyncIterator() -> AsyncThrowingStream<Data, any Error>.AsyncIterator {
        AsyncThrowingStream {
            let index = read.withLock { count in
                defer { count += 1 }
                return count
            }
            if index >= texts.count, let error { throw error }
            return index < texts.count ? Data(texts[index].utf8) : nil
        }
        .makeAsyncIterator()
    }
}
