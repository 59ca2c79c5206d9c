import Foundation

@testable import APIKit

extension ByteStream {
    /// A stream of chunks that are available at once, followed by an error if one is given.
    static func make(
        _ chunks: [Data] = [], throwing error: (any Error)? = nil, context: Context? = nil
    ) -> ByteStream {
        let sequence = AsyncThrowingStream<Data, any Error> { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish(throwing: error)
        }
        return ByteStream(reading: ByteStream(sequence).reading, context: context)
    }

    /// A stream of one chunk of text.
    static func make(_ text: String, context: Context? = nil) -> ByteStream {
        make([Data(text.utf8)], context: context)
    }

    /// Records the error with which the stream ends, or `nil` for its regular end.
    func recordEnds() -> Locked<[(any Error)?]> {
        let ends = Locked<[(any Error)?]>([])
        onEnd { ends.append($0) }
        return ends
    }

    /// Reads to the end, and returns the text and the error that the stream ends with.
    func outcome() async -> (text: String, error: (any Error)?) {
        var data = Data()
        do {
            for try await chunk in self { data += chunk }
            return (String(decoding: data, as: UTF8.self), nil)
        } catch {
            return (String(decoding: data, as: UTF8.self), error)
        }
    }

    /// Reads to the end, and returns the text.
    func text() async throws -> String {
        String(decoding: try await data(), as: UTF8.self)
    }
}

extension ByteStream.Context {
    static func make(decoder: any ResponseDecoder = JSONDecoder()) throws -> Self {
        Self(request: try .make(), http: try .make(), decoder: decoder, parseError: { _ in nil })
    }
}

extension AsyncSequence {
    /// All elements in order.
    func elements() async throws -> [Element] {
        try await reduce(into: []) { $0.append($1) }
    }
}
