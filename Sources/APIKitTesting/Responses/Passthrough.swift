import APIKit
import Foundation

/// The way to the real network, for the requests that a test lets through.
enum Passthrough {
    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        return URLSession(configuration: configuration)
    }()

    static func send(_ recorded: RecordedRequest) async throws -> (Data, HTTPURLResponse) {
        let (data, response) = try await session.send(recorded.urlRequest)
        guard let response = response as? HTTPURLResponse else {
            throw URLError(.badServerResponse, failing: recorded.url)
        }
        return (data, response)
    }
}
