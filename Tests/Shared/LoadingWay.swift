import APIKit
import Foundation

/// The two ways to load a response, which must behave alike.
enum LoadingWay: CaseIterable {
    case whole, stream

    /// Loads a response, and returns its body as text.
    func load(
        _ request: URLRequest, by client: any HTTPTransport
    ) async throws -> (String, HTTPURLResponse) {
        let (data, response): (Data, URLResponse)
        switch self {
        case .whole:
            (data, response) = try await client.send(request)
        case .stream:
            let stream: ByteStream
            (stream, response) = try await client.stream(request)
            data = try await stream.data()
        }
        guard let http = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return (String(decoding: data, as: UTF8.self), http)
    }
}
