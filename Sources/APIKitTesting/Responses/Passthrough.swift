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
        var request = URLRequest(url: recorded.url)
        request.httpMethod = recorded.method
        request.allHTTPHeaderFields = recorded.headers
        if !recorded.body.isEmpty { request.httpBody = recorded.body }
        let (data, response) = try await session.send(request)
        guard let response = response as? HTTPURLResponse else {
            throw URLError(.badServerResponse, failing: recorded.url)
        }
        return (data, response)
    }
}
