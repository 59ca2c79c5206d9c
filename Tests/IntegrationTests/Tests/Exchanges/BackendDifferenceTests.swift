import APIKit
import Foundation
import Testing

/// One of the points in which a mock is not like a server, and why.
struct BackendDifference: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: String
    let mocked: String
    let served: String
    let answer: Backend.Answer
    let observe: @Sendable (Site) async throws -> String

    func expected(on backend: Backend) -> String {
        switch backend {
        case .mock: mocked
        case .real: served
        }
    }

    /// All of them.
    static let all = [addedHeaders, challenges, codings, progress]

    private static let addedHeaders = BackendDifference(
        testDescription: "header fields of the system",
        reason: "The system adds them when it sends a request, and a mock is asked before.",
        mocked: "Host false, User-Agent false, Content-Length false",
        served: "Host true, User-Agent true, Content-Length true",
        answer: { request in
            .text(
                ["Host", "User-Agent", "Content-Length"]
                    .map { "\($0) \(request.header($0) != nil)" }.joined(separator: ", "))
        },
        observe: { site in
            try await site.client().load(
                TextRequest(), with: URLRequest(.post, "dogs", body: .form(["a": 1])))
        })

    private static let challenges = BackendDifference(
        testDescription: "the question for a password",
        reason: "A protocol class cannot ask a delegate on every platform; a 401 is an answer.",
        mocked: "401 after 1",
        served: "200 after 2",
        answer: { request in
            request.header("Authorization") == nil
                ? .text("who?", status: 401).header("WWW-Authenticate", "Basic realm=\"dogs\"")
                : .text("Rex!")
        },
        observe: { site in
            let (_, response) = try await site.session.send(URLRequest(url: site.baseURL))
            let count = await site.requests.count
            return "\((response as? HTTPURLResponse)?.statusCode ?? 0) after \(count)"
        })

    private static let codings = BackendDifference(
        testDescription: "a body that is compressed",
        reason: "What a mock is given is what the client gets: no test writes gzip.",
        mocked: "\(rex.count) bytes",
        served: "3 bytes",
        answer: { _ in Reply(body: .data(rex)).header("Content-Encoding", "gzip") },
        observe: { site in
            let (data, _) = try await site.session.send(URLRequest(url: site.baseURL))
            return "\(data.count) bytes"
        })

    private static let progress = BackendDifference(
        testDescription: "the steps of an upload",
        reason: "The system does not tell a protocol class what it sends, so there is but one.",
        mocked: "one step",
        served: "steps",
        answer: { _ in .text("thanks") },
        observe: { site in
            let steps = ProgressLog()
            try await site.client().upload(
                TextRequest(), with: URLRequest(.post, "dogs"),
                from: .data(Data(count: 3_000_000))
            ) { steps.append($0) }
            return steps.count == 1 ? "one step" : "steps"
        })

    /// The text "Rex", compressed.
    private static let rex = Data([
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xFF, 0x0B, 0x4A, 0xAD, 0x00, 0x00,
        0x20, 0x45, 0x2D, 0xD6, 0x03, 0x00, 0x00, 0x00,
    ])
}

@Suite(.timeLimit(.minutes(10))) struct BackendDifferenceTests {
    @Test(arguments: Backend.allCases, BackendDifference.all)
    func isWhatTheTableSays(backend: Backend, difference: BackendDifference) async throws {
        let delegate = ChallengeDelegate { _ in
            (.useCredential, URLCredential(user: "rex", password: "bone", persistence: .none))
        }
        try await backend.run(delegate: delegate, answering: difference.answer) { site in
            let observed = try await difference.observe(site)

            #expect(observed == difference.expected(on: backend), "\(difference.reason)")
        }
    }
}
