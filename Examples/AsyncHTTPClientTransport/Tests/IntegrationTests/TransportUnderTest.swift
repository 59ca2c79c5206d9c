import APIKit
import AsyncHTTPClient
import AsyncHTTPClientTransport
import Foundation
import NIOSSL

/// The transport that the shared suites test: an `HTTPClientTransport`.
enum TransportUnderTest: CaseIterable {
    case httpClient

    static let library = HostileDifference.Library.asyncHTTPClient

    /// Whether an error tells what is wrong with a certificate.
    static let explainsCertificates = false

    /// Whether the cancellation of a request also closes a connection whose handshake is unfinished.
    ///
    /// AsyncHTTPClient keeps the connection for the next request. It closes the connection only after
    /// `timeout.connect`, or after 30 seconds by default, even if the client is shut down earlier.
    static let closesCanceledHandshakes = false

    /// The versions of HTTP that the shared suites test.
    ///
    /// With HTTP/2, async-http-client 1.37 ends the process if a stream closes whose response ended before
    /// its request (`HTTP2ClientRequestHandler.channelInactive`), as after an early refusal.
    static let versions: [HTTPVersion] = [.http1]

    /// Makes a transport that shares no state with another transport.
    static func make(redirects: RedirectPolicy? = nil) -> any HTTPTransport {
        HTTPClientTransport(cookies: URLSessionConfiguration.ephemeral.httpCookieStorage)
            .redirecting(redirects ?? .follow)
    }

    /// Makes a transport that trusts the authority of `TLSServer`.
    static func makeTrusting() -> any HTTPTransport {
        var configuration = HTTPClient.Configuration()
        configuration.tlsConfiguration = .makeClientConfiguration()
        configuration.tlsConfiguration?.trustRoots = .file(TLSServer.authority.path)
        return HTTPClientTransport(configuration: configuration)
    }

    /// Makes a transport of this kind.
    func make() -> any HTTPTransport { Self.make() }

    /// Does nothing: a transport releases its resources with its last reference.
    static func close(_ transport: any HTTPTransport) {}

    /// Runs a closure with a transport.
    func run(while body: (any HTTPTransport) async throws -> Void) async throws {
        try await body(make())
    }
}
