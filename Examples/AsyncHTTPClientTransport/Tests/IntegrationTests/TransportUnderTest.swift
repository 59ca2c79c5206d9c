import APIKit
import AsyncHTTPClientTransport
import Foundation

/// The transport that the shared suites test: an `HTTPClientTransport`.
enum TransportUnderTest: CaseIterable {
    case httpClient

    static let library = HostileDifference.Library.asyncHTTPClient

    /// Makes a transport that shares no state with another transport.
    static func make(redirects: RedirectPolicy? = nil) -> any HTTPTransport {
        HTTPClientTransport(cookies: URLSessionConfiguration.ephemeral.httpCookieStorage)
            .redirecting(redirects ?? .follow)
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
