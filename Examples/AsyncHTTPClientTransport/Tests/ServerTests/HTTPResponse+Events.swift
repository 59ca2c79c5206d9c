import FlyingFox
import FlyingSocks
import Foundation

extension HTTPResponse {
    /// A response whose body FlyingFox reads chunk by chunk.
    init<Events: AsyncSequence & Sendable>(events: Events) where Events.Element == Data {
        self.init(
            statusCode: .ok, headers: [.contentType: "text/event-stream"],
            body: HTTPBodySequence(from: Chunks(base: events)))
    }
}

/// The chunks of a body, as FlyingFox reads them.
private struct Chunks<Base: AsyncSequence & Sendable>: AsyncBufferedSequence
where Base.Element == Data {
    typealias Element = UInt8

    let base: Base

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeAsyncIterator()) }

    struct AsyncIterator: AsyncBufferedIteratorProtocol {
        var base: Base.AsyncIterator

        mutating func nextBuffer(suggested count: Int) async throws -> Data? {
            try await base.next()
        }

        /// FlyingFox asks only for buffers.
        mutating func next() async throws -> UInt8? { try await nextBuffer(suggested: 1)?.first }
    }
}
