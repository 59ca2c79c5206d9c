import APIKit
import Foundation
import Testing

extension Backend {
    static let tested: [Backend] = [.apple]
    static let sessions = tested
    static let turns = ParallelizationTrait.serialized
    func run(
        redirects: RedirectPolicy = .follow, respond: @escaping Site.Responder,
        while body: (Site) async throws -> Void
    ) async throws {
        try await run(respond: respond) { session, site in
            var site = site
            site.transport = session.redirecting(redirects)
            try await body(site)
        }
    }

    func run(
        delegate: (any URLSessionDelegate)? = nil, respond: @escaping Site.Responder,
        while body: (URLSession, Site) async throws -> Void
    ) async throws {
        let received = Locked<[ReceivedRequest]>([])
        let session = URLSession.make(delegate: delegate)
        session.network = { sent, body in
            let request = try await ReceivedRequest(sent, body: body(.max))
            received.withLock { $0.append(request) }
            return try await sent.response(respond(request))
        }
        let first = try #require(URL(string: "http://127.0.0.1:8001"))
        let other = try #require(URL(string: "http://127.0.0.1:8002"))
        let site = Site(transport: session, baseURL: first, other: other) {
            received.withLock { $0 }
        }
        try await body(session, site)
    }
}

extension URLRequest {
    /// The response of a server that sends a reply, and of a connection that may break off after it.
    func response(_ reply: Reply, then code: URLError.Code? = nil) throws -> URLSession.Response {
        let (fields, body) = reply.sent(to: httpMethod)
        let head = try HTTPURLResponse(
            url: #require(url), statusCode: reply.status, httpVersion: nil, headerFields: fields)
        return (try #require(head), body, code.map { URLError($0) })
    }
}

extension ExchangeTests.Breakage {
    func run(
        on _: Backend, while body: (any HTTPTransport, URLRequest) async throws -> Void
    ) async throws {
        let session = URLSession.make()
        session.network = { [self] request, _ in
            guard let start else { throw URLError(code) }
            // After the head, the system can report the end of a connection so.
            return try request.response(.text(start), then: .cannotParseResponse)
        }
        let url = try #require(URL(string: "http://127.0.0.1:8001/dogs"))
        try await body(session, URLRequest(url: url))
    }
}
