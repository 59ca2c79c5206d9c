import APIKit
import APIKitTesting
import Foundation
import Testing

extension Backend {
    #if os(Linux)
    static let tested: [Backend] = [.flyingFox, .passthrough, .http2]
    #else
    // The delegate of a session has to trust the server: see `TransportUnderTest.makeTrusting`.
    static let tested: [Backend] = [.flyingFox, .passthrough]
    #endif
    static let sessions = tested
    /// The tests of this package run in sequence.
    static let turns = ParallelizationTrait.serialized

    /// Runs two servers with the same responses until the closure returns.
    func run(
        redirects: RedirectPolicy? = nil, respond: @escaping Site.Responder,
        while body: (Site) async throws -> Void
    ) async throws {
        try await run(respond: respond) { session, site in
            var site = site
            if let redirects { site.transport = session.redirecting(redirects) }
            try await body(site)
        }
    }

    /// Runs two servers, to which a session with a delegate sends its requests.
    func run(
        delegate: (any URLSessionDelegate)? = nil, respond: @escaping Site.Responder,
        while body: (URLSession, Site) async throws -> Void
    ) async throws {
        let mock = MockServer(unhandled: .reply(.passthrough))
        let session =
            self == .passthrough
            ? mock.makeSession(delegate: delegate) : URLSession.make(delegate: delegate)
        try await Site.run(with: session, over: version, respond: respond) {
            try await body(session, $0)
        }
        mock.verify()
    }

    fileprivate var version: HTTPVersion {
        #if os(Linux)
        self == .http2 ? .http2 : .http1
        #else
        .http1
        #endif
    }
}

extension ExchangeTests.Breakage {
    /// Runs a closure with a transport and a request to a server that fails in this way.
    func run(
        on backend: Backend, while body: (any HTTPTransport, URLRequest) async throws -> Void
    ) async throws {
        let mock = MockServer(unhandled: .reply(.passthrough))
        let session = backend == .passthrough ? mock.session : URLSession.make()
        try await run(with: session, over: backend.version, while: body)
        mock.verify()
    }
}
