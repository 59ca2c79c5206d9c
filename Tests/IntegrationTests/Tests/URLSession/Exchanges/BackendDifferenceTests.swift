import APIKit
import Foundation
import Testing

/// A difference between a mock and a server, and its reason.
struct BackendDifference: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: String
    let mocked: String
    let served: String
    /// The result through a mock and in a recording, if it differs from that of a server.
    var passedThrough: String?
    let respond: Site.Responder
    let observe: @Sendable (Site) async throws -> String

    func expected(on backend: Backend) -> String {
        switch backend {
        case .mock: mocked
        case .real: served
        #if os(Linux)
        case .http2: served
        #endif
        case .passthrough, .recording: passedThrough ?? served
        }
    }

    static let all = [addedHeaders, challenges]

    private static let addedHeaders = BackendDifference(
        testDescription: "header fields that the system adds",
        reason: "The system adds them after a mock has received the request.",
        mocked: "Host false, User-Agent false",
        served: "Host true, User-Agent true",
        respond: { request in
            .text(
                ["Host", "User-Agent"]
                    .map { "\($0) \(request.header($0) != nil)" }.joined(separator: ", "))
        },
        observe: { site in
            try await site.client().load(
                TextRequest(), with: URLRequest(.post, "dogs", body: .form(["a": 1])))
        })

    private static let challenges = BackendDifference(
        testDescription: "an authentication challenge",
        reason: "A protocol class cannot send a challenge on all platforms, so it returns 401.",
        mocked: "401 after 1",
        served: "200 after 2",
        passedThrough: "401 after 1",
        respond: { request in
            request.header("Authorization") == nil
                ? .text("who?", status: 401).header("WWW-Authenticate", "Basic realm=\"dogs\"")
                : .text("Rex!")
        },
        observe: { site in
            let (_, response) = try await site.transport.send(URLRequest(url: site.baseURL))
            let count = await site.requests.count
            return "\((response as? HTTPURLResponse)?.statusCode ?? 0) after \(count)"
        })
}

@Suite(.timeLimit(.minutes(10))) struct BackendDifferenceTests {
    @Test(arguments: Backend.allCases, BackendDifference.all)
    func backendDiffersAsInTheTable(backend: Backend, difference: BackendDifference) async throws {
        let delegate = ChallengeDelegate { _ in (.useCredential, .rex) }
        try await backend.run(delegate: delegate, respond: difference.respond) { _, site in
            let observed = try await difference.observe(site)

            #expect(observed == difference.expected(on: backend), "\(difference.reason)")
        }
    }
}
