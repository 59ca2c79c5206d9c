import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// The life of a recording: the first run records, further ones replay.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct TapeTests {
    private struct Planned: Error {}

    private let folder: RecordingFolder
    private let real: LoopbackServer

    init() throws {
        folder = try RecordingFolder()
        let count = Locked(0)
        real = try LoopbackServer { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return LoopbackServer.response(200, body: "\(request.path) \(number)")
        }
    }

    /// Requests a path of the real server, and returns the body of the response.
    @discardableResult
    private func load(_ path: String, by client: any HTTPTransport) async throws -> String {
        let (data, _) = try await client.send(URLRequest(url: real.url(path)))
        return String(decoding: data, as: UTF8.self)
    }

    // C1 of the behaviors that all such libraries share.
    @Test(arguments: [true, false])
    func firstRunRecordsAndSecondRunReplays(withSession: Bool) async throws {
        let cassette = folder.cassette()
        let texts = Locked<[[String]]>([])
        for run in [TestRun.local, .later, .later] {
            let issues = try await cassette.issues(in: run) { server in
                let client: any HTTPTransport = withSession ? server.session : server
                let received = [
                    try await load("/a", by: client), try await load("/a", by: client),
                    try await load("/b", by: client),
                ]
                texts.withLock { $0.append(received) }
            }
            #expect(issues == [])
        }

        #expect(texts.withLock { $0 } == Array(repeating: ["/a 1", "/a 2", "/b 3"], count: 3))
        #expect(real.requests.count == 3)
    }

    @Test func missingFileFailsTheTestAtTheLineOfItsTraitOnce() async throws {
        let cassette = folder.cassette(mode: .none)
        let texts = try await cassette.issues { server in
            await #expect(throws: TestFailure.self) { try await load("/a", by: server) }
        }

        #expect(texts.count == 1)
        #expect(texts.first?.contains("APIKIT_RECORD=all swift test --filter ") == true)
        #expect(
            texts.first?.contains(
                "TapeTests/missingFileFailsTheTestAtTheLineOfItsTraitOnce\n") == true)
        #expect(real.requests.isEmpty)
        #expect(folder.names == [])
    }

    @Test func thrownFailureOfAMissingFileIsReportedOnce() async throws {
        let cassette = folder.cassette(mode: .none)
        let texts = try await cassette.issues { try await load("/a", by: $0.session) }

        #expect(texts.count == 1)
    }

    @Test func binaryBodyReplaysByteByByte() async throws {
        let bytes = Data((0..<1024).map { UInt8(truncatingIfNeeded: $0 &* 7) } + [0xFF, 0xFE, 0])
        let real = try LoopbackServer { _, connection in
            let fields = ["Content-Length: \(bytes.count)", "Content-Type: image/png"]
            connection.write(Data(LoopbackServer.head(200, fields).utf8) + bytes)
        }
        for run in [TestRun.local, .later] {
            let issues = try await folder.cassette().issues(in: run) { server in
                var request = URLRequest(url: real.url("/a"))
                request.httpMethod = "POST"
                request.httpBody = bytes
                let data = try await server.session.send(request).0
                #expect(data == bytes)
            }
            #expect(issues == [])
        }

        #expect(real.requests.count == 1)
        #expect(try folder.entries().map(\.request.body) == [bytes])
    }

    @Test func equalTrafficMakesEqualFiles() async throws {
        let real = try LoopbackServer { request in
            LoopbackServer.response(200, ["X-B: 1", "X-A: 2"], body: request.path)
        }
        var files: [HARFile] = []
        for name in ["first", "second"] {
            _ = try await folder.cassette(name).issues { server in
                for path in ["/b", "/a"] {
                    _ = try await server.send(URLRequest(url: real.url(path)))
                }
            }
            let entries = try folder.entries(name)
            files.append(
                HARFile(
                    entries: entries.map { entry in
                        var entry = entry
                        entry.startedAt = .init(timeIntervalSince1970: 0)
                        return entry
                    }))
        }

        #expect(files.map(\.entries.count) == [2, 2])
        #expect(Set(try files.map { try $0.data }).count == 1)
    }

    @Test func failureOfAReplayNamesItsTestAndItsLine() {
        let server = MockServer()
        let line = #line + 1
        TestRun.$current.withValue(.local) { server.replay(folder.cassette(mode: .none)) }

        #expect(server.failures.map(\.location?.line) == [line])
        let name = "TapeTests/failureOfAReplayNamesItsTestAndItsLine"
        #expect(server.failures.first?.message.contains(name) == true)
    }

    @Test func failedTestWritesNothingAndReportsNothingMore() async throws {
        let texts = try await folder.cassette().issues { server in
            try await load("/a", by: server)
            throw Planned()
        }

        #expect(texts == ["Planned()"])
        #expect(folder.names == [])
    }

    @Test func testWithAMissWritesNothing() async throws {
        let texts = try await folder.cassette().issues { server in
            server.on(.get("/never"), reply: .status(200))
            try await load("/a", by: server)
        }

        #expect(texts.count == 1)
        #expect(folder.names == [])
    }

    #if compiler(>=6.3)
    @Test(arguments: [true, false])
    func failedExpectationPreventsTheFileUnlessItIsKnown(isKnown: Bool) async throws {
        let cassette = folder.cassette()
        let issues = try await MockServer.issues(replaying: cassette, in: .local) { server in
            let text = try await load("/a", by: server)
            if isKnown {
                withKnownIssue { #expect(text == "") }
            } else {
                #expect(text == "")
            }
        }

        let made = issues.filter(\.text.isOfNewFile)
        #expect(issues.count - made.count == 1)
        #expect(made.count == (isKnown ? 1 : 0))
        #expect(folder.names == (isKnown ? ["users.har"] : []))
    }
    #endif

    @Test func releasedServerIsRecordedWhenItsTestEnds() async throws {
        let cassette = folder.cassette("other")
        let texts = try await folder.cassette().issues { _ in
            let server = MockServer()
            server.replay(cassette)
            try await load("/a", by: server)
        }

        #expect(texts == [])
        #expect(folder.names == ["other.har"])
    }

    @Test func loadInProgressAtTheEndLeavesNoEntry() async throws {
        let canEnd = DispatchSemaphore(value: 0)
        let real = try LoopbackServer { request, connection in
            if request.path == "/slow" { canEnd.waitForSignal() }
            connection.write(LoopbackServer.response(200))
        }
        let task = Locked<Task<Void, Never>?>(nil)
        let texts = try await folder.cassette().issues { server in
            let session = server.session
            let slow = Task {
                _ = await Result { try await session.send(URLRequest(url: real.url("/slow"))) }
            }
            task.withLock { $0 = slow }
            _ = try await server.nextRequest(.get("/slow"))
            _ = try await session.send(URLRequest(url: real.url("/fast")))
        }
        canEnd.signal()
        await task.withLock { $0 }?.value

        #expect(texts == [])
        #expect(try folder.paths() == ["/fast"])
    }

    @Test func fileThatCannotBeWrittenFailsTheTest() async throws {
        let texts = try await folder.cassette().issues { server in
            try await load("/a", by: server)
            try FileManager.default.createDirectory(
                at: folder.directory.url("Recordings/users.har"), withIntermediateDirectories: true)
        }

        #expect(texts.count == 1)
        #expect(
            texts.first?.hasPrefix("The recording Recordings/users.har is not written: ") == true)
    }

    @Test func verifyWritesTheRecordingWithoutATrait() async throws {
        let server = MockServer()
        TestRun.$current.withValue(.local) { server.replay(folder.cassette()) }
        try await load("/a", by: server)
        #expect(folder.names == [])
        #expect(try await server.failuresOfVerification().allSatisfy(\.isOfNewFile))
        #expect(try folder.paths() == ["/a"])
        try await load("/b", by: server)
        #expect(try await server.failuresOfVerification().allSatisfy(\.isOfNewFile))
        #expect(try folder.paths() == ["/a", "/b"])
    }

    @Test func verifyThatFailsWritesNothing() async throws {
        let server = MockServer()
        TestRun.$current.withValue(.local) { server.replay(folder.cassette()) }
        server.on(.get("/never"), reply: .status(200))
        try await load("/a", by: server)
        #expect(try await server.failuresOfVerification().count == 1)

        #expect(folder.names == [])
    }

    private static let traitLine = #line + 3

    @Test(.mockServer(replaying: Cassette("unused", mode: .all)))
    func traitHasTheLocationOfItsTest() throws {
        let tape = try #require(MockServer.current.state.withLock { $0.recordings?.tapes.first })

        #expect(tape.location.line == Self.traitLine)
        #expect("\(tape.location.filePath)" == #filePath)
        #expect(tape.cassette.filePath == #filePath)
    }
}
