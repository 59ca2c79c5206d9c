import APIKit
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOHTTPCompression

/// A transport over AsyncHTTPClient.
///
/// Copies share one client and its connections. The client is shut down with the last copy.
public struct HTTPClientTransport: HTTPTransport {
    private let owner: ClientOwner
    private let redirects: RedirectPolicy
    private let cookies: HTTPCookieStorage?

    /// Creates a transport with a client of its own.
    public init(
        redirects: RedirectPolicy = .follow,
        cookies: HTTPCookieStorage? = nil,
        configuration: HTTPClient.Configuration = .init()
    ) {
        var configuration = configuration
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .enabled(limit: .none)
        configuration.connectionPool.retryConnectionEstablishment = false
        owner = ClientOwner(HTTPClient(configuration: configuration))
        self.redirects = redirects
        self.cookies = cookies
    }

    public func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        guard let url = request.url else { throw URLError(.badURL) }
        var sent = HTTPClientRequest(url: url.absoluteString)
        sent.method = .init(rawValue: request.httpMethod ?? "GET")
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            sent.headers.add(name: name, value: value)
        }
        sent.body = request.httpBody.map { .bytes(ByteBuffer(data: $0)) }
        let response = try await owner.client.execute(
            sent, timeout: .seconds(Int64(request.timeoutInterval)))
        var data = Data()
        for try await buffer in response.body { data.append(contentsOf: buffer.readableBytesView) }
        let fields = Dictionary(
            response.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { "\($0), \($1)" })
        guard
            let head = HTTPURLResponse(
                url: url, statusCode: Int(response.status.code), httpVersion: "HTTP/1.1",
                headerFields: fields)
        else { throw URLError(.badServerResponse) }
        return (data, head)
    }
}

/// Shuts a client down when the last reference is released, because AsyncHTTPClient requires it.
private final class ClientOwner: Sendable {
    let client: HTTPClient

    init(_ client: HTTPClient) { self.client = client }

    deinit { client.shutdown { _ in } }
}
