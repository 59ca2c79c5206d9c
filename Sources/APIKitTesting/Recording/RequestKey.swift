import APIKit
import Foundation

/// The components of a request that decide whether an entry matches it, with their secrets masked.
struct RequestKey: Hashable, Sendable {
    init(_ request: HAREntry.Request, of cassette: Cassette) {}
}

extension HAREntry.Request {
    /// Creates the request of an entry from a request that a server received.
    init(_ request: RecordedRequest) {
        self.init(
            method: request.method.rawValue, url: request.url.absoluteString,
            headers: request.headers.map { HAREntry.Field(name: $0.key, value: $0.value) }
                .sorted { ($0.name, $0.value) < ($1.name, $1.value) },
            body: request.body)
    }
}
