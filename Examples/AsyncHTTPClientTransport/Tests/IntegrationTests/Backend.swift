import APIKit
import Foundation

/// The kind of server that responds.
enum Backend: CaseIterable {
    /// A real server.
    case real

    static let withoutRecording = allCases

    /// Runs two servers until the closure returns.
    func run(
        redirects: RedirectPolicy? = nil,
        respond: @escaping Site.Responder,
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
