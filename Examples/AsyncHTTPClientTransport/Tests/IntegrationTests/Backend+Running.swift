import APIKit
import Foundation
import Testing

extension Backend {
    static let tested: [Backend] = [.asyncHTTPClient]
    /// The tests of this package run in sequence.
    static let turns = ParallelizationTrait.serialized

    /// Runs two servers until the closure returns.
    func run(
        redirects: RedirectPolicy? = nil, respond: @escaping Site.Responder,
        while body: (Site) async throws -> Void
    ) async throws {
        try await Site.run(
            with: TransportUnderTest.make(redirects: redirects), respond: respond, while: body)
    }
}

extension ExchangeTests.Breakage {
    /// Runs a closure with a transport and a request to a server that fails in this way.
    func run(
        on backend: Backend, while body: (any HTTPTransport, URLRequest) async throws -> Void
    ) async throws {
        try await run(with: TransportUnderTest.make(), while: body)
    }
}
