import APIKit
import APIKitTesting
import Foundation
import Testing

/// Cancels loads at random moments, and expects each load to complete exactly once.
///
/// A mistake in the transport crashes the process, or keeps a load pending forever.
@Suite struct CancellationRaceTests {
    private static let lanes = 20
    private static let loadsPerLane = Stress.loads / lanes

    @Test(.timeLimit(.minutes(10)), arguments: CacheUse.allCases, Way.allCases)
    func cancelledLoadCompletesOnce(cache: CacheUse, way: Way) async throws {
        try await RawServer.run(respond: Self.reply) { server in
            let delegate = ChallengeDelegate { challenge in
                challenge.failureResponse?.url?.path == "/login"
                    ? (.useCredential, .rex) : (.performDefaultHandling, nil)
            }
            let session = URLSession.make(cache: cache.cache, delegate: delegate)
            let requests = try ["/plain", "/redirect", "/login", "/refused"].map {
                try server.request($0)
            }

            await Self.race { number in
                try await way.load(requests[number % requests.count], in: session)
            }

            // The session becomes invalid only when all its tasks have completed.
            session.finishTasksAndInvalidate()
            for await _ in delegate.invalidation {}
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: CacheUse.allCases, Way.allCases)
    func cancelledLoadOfAMockCompletesOnce(cache: CacheUse, way: Way) async throws {
        let server = MockServer()
        server.on(.get("/plain"), reply: .text("hello"))
        server.on(.get("/redirect"), reply: .redirect(to: "/plain"))
        server.on(.get("/slow")) { _ in
            await Task.yield()
            return .stream([Data("hel".utf8), Data("lo".utf8)])
        }
        let configuration = URLSessionConfiguration.ephemeral
        server.install(in: configuration)
        configuration.urlCache = cache.cache
        let delegate = ChallengeDelegate { _ in (.performDefaultHandling, nil) }
        let session = URLSession(
            configuration: configuration, delegate: delegate, delegateQueue: nil)
        let requests = try ["/plain", "/redirect", "/slow"].map { path in
            URLRequest(url: try #require(URL(string: "http://127.0.0.1:8001\(path)")))
        }

        await Self.race { number in
            try await way.load(requests[number % requests.count], in: session)
        }

        session.finishTasksAndInvalidate()
        for await _ in delegate.invalidation {}
        withExtendedLifetime(server) {}
    }

    /// Responds with the same text, in some cases after a redirect, a login or a refused login.
    @Sendable private static func reply(to head: String) -> RawServer.Reply {
        switch head.split(separator: " ").dropFirst().first {
        case "/redirect":
            .response(302, "moved", headers: ["Location": "/plain"])
        case "/login" where !head.contains("Authorization: Basic"), "/refused":
            .response(401, "hello", headers: ["WWW-Authenticate": #"Basic realm="dogs""#])
        default:
            .response(200, "hello")
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: [UploadKind.data, .form])
    func cancelledUploadCompletesOnce(kind: UploadKind) async throws {
        let directory = try TemporaryDirectory()
        let body = try kind.body(in: directory, of: 200_000)
        try await RawServer.run(serve: Self.serveUploads) { server in
            let session = URLSession.make(
                delegate: ChallengeDelegate { _ in (.useCredential, .rex) })
            let requests = try ["/plain", "/redirect", "/login", "/early"].map {
                try server.request($0, method: "POST")
            }

            // An upload takes as long as many loads.
            await Self.race(loadsPerLane: Self.loadsPerLane / 8) { number in
                try await session.upload(requests[number % requests.count], from: body) { _ in }
            }
        }
    }

    /// Responds with the same text, to `/early` before it has read the body.
    @Sendable private static func serveUploads(
        on connection: inout RawConnection
    ) async throws {
        while true {
            let head = try await connection.head()
            if head.hasPrefix("POST /early ") {
                try await connection.send(.response(413, "hello", headers: ["Connection": "close"]))
                _ = await connection.skipToEnd()
                return
            }
            let length = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
            try await connection.skip(length.flatMap { Int($0.dropFirst(16)) } ?? 0)
            if head.hasPrefix("POST /redirect ") {
                try await connection.send(.response(307, "moved", headers: ["Location": "/plain"]))
            } else if head.hasPrefix("POST /login "), !head.contains("Authorization: Basic") {
                try await connection.send(
                    .response(401, "who?", headers: ["WWW-Authenticate": #"Basic realm="dogs""#]))
            } else {
                try await connection.send(.response(200, "hello"))
            }
        }
    }

    private typealias Load = @Sendable (_ number: Int) async throws -> (Data, URLResponse)

    /// Starts and cancels many loads, and expects each to succeed or to throw `CancellationError`.
    private static func race(loadsPerLane: Int = loadsPerLane, _ load: @escaping Load) async {
        let outcomes = await withTaskGroup(of: Outcomes.self) { group in
            for lane in 0..<lanes {
                group.addTask { await race(loadsPerLane, load, seed: UInt64(lane)) }
            }
            return await group.reduce(into: Outcomes()) { $0.add($1) }
        }

        #expect(outcomes.wrong == 0)
        #expect(outcomes.succeeded > 0)
        #expect(outcomes.cancelled > 0)
        #expect(outcomes.succeeded + outcomes.cancelled == lanes * loadsPerLane)
    }

    /// Starts loads in sequence, and cancels each after a pseudorandom number of yields.
    private static func race(
        _ count: Int, _ load: @escaping Load, seed: UInt64
    ) async -> Outcomes {
        var random = SeededGenerator(seed: seed)
        var outcomes = Outcomes()
        for number in 0..<count {
            let load = Task { try await load(number) }
            // A random exponent makes short waits as frequent as long ones, to reach each stage of a load.
            for _ in 0..<(1 << Int.random(in: 0..<12, using: &random)) { await Task.yield() }
            load.cancel()
            outcomes.count(await load.result)
        }
        return outcomes
    }
}

extension CancellationRaceTests {
    /// The two ways to receive a response.
    enum Way: CaseIterable {
        case load, stream

        func load(
            _ request: URLRequest, in session: URLSession
        ) async throws -> (Data, URLResponse) {
            switch self {
            case .load: return try await session.send(request)
            case .stream:
                let (stream, response) = try await session.stream(request)
                return (try await stream.data(), response)
            }
        }
    }
}

/// The number of loads with each outcome.
private struct Outcomes: Sendable {
    private(set) var succeeded = 0
    private(set) var cancelled = 0
    private(set) var wrong = 0

    mutating func count(_ result: Result<(Data, URLResponse), any Error>) {
        switch result {
        case .success((let data, _)) where data == Data("hello".utf8): succeeded += 1
        case .failure(is CancellationError): cancelled += 1
        default: wrong += 1
        }
    }

    mutating func add(_ other: Outcomes) {
        succeeded += other.succeeded
        cancelled += other.cancelled
        wrong += other.wrong
    }
}
