import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// A real server with a recording, whose response can change.
struct CheckedServer {
    struct Dog: Decodable, Sendable {
        var id: Int
        var breed: String?
    }

    struct GetDogs: APIRequest {
        typealias ResponseDataType = [Dog]

        func makeRequest(from path: String) throws -> URLRequest {
            try URLRequest(.get, APIPath(verbatim: path))
        }
    }

    let folder: RecordingFolder
    let real: LoopbackServer
    /// The response of the server to each request.
    let response = Locked((status: 200, fields: [String](), body: ""))

    init() throws {
        folder = try RecordingFolder()
        let response = response
        real = try LoopbackServer { request in
            let (status, fields, body) = response.withLock { $0 }
            return LoopbackServer.response(
                status, ["Content-Type: application/json"] + fields,
                body: body.replacing("{method}", with: request.method))
        }
    }

    let recorded = #"""
        [{"id": 1, "breed": "akita", "tag": 1}, {"id": 2, "breed": "boxer", "tag": 2},
         {"id": 3, "breed": "akita", "tag": 3}, {"id": 4, "breed": "boxer", "tag": 4},
         {"id": 5, "breed": "akita", "tag": 5}]
        """#

    /// Writes the recording that the mode `all` makes of a response.
    func record(_ paths: [String] = ["dogs"], body: String? = nil) throws {
        let response = RecordedResponse(
            status: 200, fields: [HeaderField(name: "Content-Type", value: "application/json")],
            body: Data((body ?? recorded).utf8))
        try folder.write(
            paths.map {
                RecordedExchange(
                    startedAt: Date(), request: RecordedRequest("GET", real.url("/\($0)")),
                    response: response)
            }, "dogs")
    }

    /// Sends requests, and returns the failures and warnings of the recording.
    func run(
        _ mode: Cassette.Mode, _ paths: [String] = ["dogs"], status: Int = 200,
        fields: [String] = [], body: String, options: Set<Cassette.Option> = [],
        isTyped: Bool = true
    ) async throws -> [TestFailure] {
        response.withLock { $0 = (status, fields, body) }
        let cassette = folder.moved(Cassette("dogs", mode: mode, options: options))
        let server = MockServer()
        let file = RecordingFile(cassette, test: "a", in: TestRun(environment: [:]))
        let tape = Tape(
            file, at: SourceCodeLocation("A/B.swift", "B.swift", 7, 1), delegate: Check(of: file))
        server.replay(tape)
        let client = APIClient(baseURL: real.url("/"), transport: server.session)
        for path in paths {
            if isTyped {
                // The server may refuse the request, or send another body.
                _ = await Result.of { try await client.load(GetDogs(), with: path) }
            } else {
                _ = try await server.session.send(URLRequest(url: real.url("/\(path)")))
            }
        }
        return tape.finish(
            testHasPassed: true, after: server.state.withLock { $0.journal })
    }

    typealias Reply = (path: String, status: Int, body: String)

    /// Records replies to requests, checks others, and returns what the check finds.
    func changes(from recorded: [Reply], to live: [Reply]) async throws -> [TestFailure] {
        var issues: [TestFailure] = []
        for (mode, replies) in [(Cassette.Mode.all, recorded), (.check, live)] {
            #expect(issues == [])
            let server = folder.server(replaying: Cassette("dogs", mode: mode))
            for reply in replies {
                response.withLock { $0 = (reply.status, [], reply.body) }
                _ = try await server.session.send(URLRequest(url: real.url("/\(reply.path)")))
            }
            issues = server.state.withLock { $0 }.finish(testHasPassed: true)
        }
        return issues
    }
}
