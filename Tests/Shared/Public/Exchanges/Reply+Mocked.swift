import APIKit
import APIKitTesting
import Foundation

extension Reply {
    /// The response of a mock.
    var mocked: MockResponse {
        let response: MockResponse =
            switch body {
            case .data(let data): .data(data, status: status)
            case .chunks(let stream): .stream(stream, status: status)
            }
        return headers.reduce(response) { $0.header($1.name, $1.value) }
    }
}

extension ReceivedRequest {
    /// Creates the request that a mock received.
    init(_ request: RecordedRequest) {
        self.init(
            method: request.method.rawValue,
            target: request.path + (request.url.query(percentEncoded: true).map { "?\($0)" } ?? ""),
            body: request.body,
            headers: request.headers.map { ($0.key, $0.value) })
    }
}

extension ExchangeTests.Breakage {
    /// The response of a mock that fails in this way.
    var mocked: MockResponse {
        switch self {
        case .noResponse: .failure(.networkConnectionLost)
        case .halfABody, .reset: .text("hello rex!").truncated(after: 5)
        case .noBody: .text("hello rex!").truncated(after: 0)
        case .halfAChunk: .stream([Data("hello rex!".utf8)]).truncated(after: 5)
        case .refused: .failure(.cannotConnectToHost)
        case .silence: .never
        }
    }
}
