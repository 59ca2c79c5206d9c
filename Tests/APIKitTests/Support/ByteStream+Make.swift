import Foundation

@testable import APIKit

extension ByteStream {
    /// A stream of which a test says only what it is about.
    static func make(
        _ pieces: [Data] = [], throwing error: (any Error)? = nil, context: Context? = nil
    ) -> ByteStream {
        let stream = ByteStream(Pieces(pieces: pieces, error: error))
        return ByteStream(reading: stream.reading, context: context)
    }

    /// A stream of one chunk of text.
    static func make(_ text: String, context: Context? = nil) -> ByteStream {
        make([Data(text.utf8)], context: context)
    }

    /// What the stream ends with, once it has ended.
    func recordEnds() -> Locked<[(any Error)?]> {
        let ends = Locked<[(any Error)?]>([])
        onEnd { error in ends.withLock { $0.append(error) } }
        return ends
    }
}

extension ByteStream.Context {
    /// An answer of which a test says only what it is about.
    static func make(decoder: any ResponseDecoder = JSONDecoder()) throws -> Self {
        Self(request: try .make(), http: try .make(), decoder: decoder)
    }
}

extension AsyncSequence {
    /// All the elements.
    func elements() async throws -> [Element] {
        try await reduce(into: []) { $0.append($1) }
    }
}
