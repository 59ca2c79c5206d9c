import Foundation

@testable import APIKit

extension ByteStream {
    /// A stream of which a test says only what it is about.
    static func make(
        _ pieces: [Data] = [], throwing error: (any Error)? = nil, answer: Answer? = nil
    ) -> ByteStream {
        let stream = ByteStream(Pieces(pieces: pieces, error: error))
        return ByteStream(reading: stream.reading, answer: answer)
    }

    /// A stream of one chunk of text.
    static func make(_ text: String, answer: Answer? = nil) -> ByteStream {
        make([Data(text.utf8)], answer: answer)
    }

    /// Waits until the stream has ended, and returns the error that it ended with.
    func ending() async -> (any Error)? {
        await withCheckedContinuation { continuation in
            onEnd { continuation.resume(returning: $0) }
        }
    }
}

extension ByteStream.Answer {
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
