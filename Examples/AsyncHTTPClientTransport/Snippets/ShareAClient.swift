import APIKit
import AsyncHTTPClient
import AsyncHTTPClientTransport
import Foundation

func shareAClient() async throws {
    // snippet.share
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .enabled(limit: .ratio(25))
    let httpClient = HTTPClient(configuration: configuration)

    let client = APIClient(
        baseURL: URL(string: "https://api.example.com/v1"),
        transport: HTTPClientTransport(httpClient))
    // snippet.end
    _ = client
    try await httpClient.shutdown()
}
