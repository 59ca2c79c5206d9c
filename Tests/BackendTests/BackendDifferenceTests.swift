import APIKit
import Foundation
import Testing

/// A difference between a mock and a server, and its reason.
struct BackendDifference: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: String
    /// The result with a server.
    let served: String
    /// The results that differ.
    let exceptions: [Backend: String]
    let respond: Site.Responder
    let observe: @Sendable (Site) async throws -> String

    static let all = [addedHeaders, challenges]

    private static let addedHeaders = BackendDifference(
        testDescription: "header fields that the system adds",
        reason:
            "The system adds them after a mock has received the request. A port removes the host.",
        served: "Host true, User-Agent true",
        exceptions: [
            .session: "Host false, User-Agent false", .port: "Host false, User-Agent true",
            .recording: "Host false, User-Agent true",
        ],
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
        served: "200 after 2",
        exceptions: [
            .session: "401 after 1", .recording: "401 after 1", .passthrough: "401 after 1",
        ],
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

@Suite(.timeLimit(.minutes(10)), Backend.turns) struct BackendDifferenceTests {
    @Test(arguments: Backend.sessions, BackendDifference.all)
    func backendDiffersAsInTheTable(backend: Backend, difference: BackendDifference) async throws {
        let delegate = ChallengeDelegate { _ in (.useCredential, .rex) }
        try await backend.run(delegate: delegate, respond: difference.respond) { _, site in
            let observed = try await difference.observe(site)

            let expected = difference.exceptions[backend] ?? difference.served
            #expect(observed == expected, "\(difference.reason)")
        }
    }
}
