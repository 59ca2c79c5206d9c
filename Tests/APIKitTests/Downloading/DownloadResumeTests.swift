import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct DownloadResumeTests: DownloadSuite {
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Downloads from a server, and returns the starts of the requested ranges.
    func download(
        _ request: EchoRequest = EchoRequest(),
        respond: @escaping @Sendable (RecordedRequest) -> MockResponse
    ) async throws -> [Int?] {
        let route = server.on(.get("/v1/echo"), respond: respond)
        try await client().download(request, to: file)
        return route.requests.map(\.rangeStart)
    }

    /// Every connection breaks after the same number of bytes.
    @Test(arguments: [false, true])
    func downloadContinuesAfterBreakAtEachByte(withURLSession: Bool) async throws {
        let content = Data("0123456789".utf8)
        for count in 1...10 {
            let server = MockServer()
            server.on(
                .any, reply: .resource(.data(content)).truncated(after: count), times: .anyNumber)
            let client = client(
                Retry(maxAttempts: 10, clock: ManualClock(), jitter: { 0 }),
                transport: withURLSession ? server.session : server)

            try await client.download(EchoRequest(), to: file)

            try expectFile(content)
            #expect(
                server.requests.map { $0.rangeStart ?? 0 }
                    == Array(stride(from: 0, to: 10, by: count)))
        }
    }

    @Test(arguments: [false, true])
    func progressEndsAtSizeOfSmallerResource(sendsSize: Bool) async throws {
        let smaller = content.prefix(100)
        let response = sendsSize ? MockResponse.data(smaller) : .stream([smaller])
        server.on(
            .get("/v1/echo"),
            reply: brokenResponse(), response.header("ETag", "\"2\""), times: 2)
        let steps = Locked<[TransferProgress]>([])

        try await client(Retry.immediate).download(EchoRequest(), to: file) { steps.append($0) }

        #expect(steps.current.map(\.completedBytes) == [0, 400, 100])
        #expect(steps.current.last?.fraction == 1)
    }

    @Test func downloadContinuesAfterDeadline() async throws {
        let clock = ManualClock()
        let (_, load) = try await start(
            client(Deadline(.seconds(9), clock: clock)), tag: "\"1\"",
            sending: String(decoding: content[..<400], as: UTF8.self))
        clock.advance(by: .seconds(9))
        await expectError(.deadline) { try await load.value }

        let starts = try await download { [content] _ in .tagged(content) }

        #expect(starts == [400])
    }

    @Test func lastModifiedDateIdentifiesVersion() async throws {
        let modified = "Sun, 01 Nov 2026 09:00:00 GMT"
        let resource = MockResponse.resource(.data(content).header("Last-Modified", modified))
            .header("Date", "Sun, 01 Nov 2026 09:00:01 GMT")
        try await breakOff(response: resource.truncated(after: 400))

        let starts = try await download { _ in resource }

        #expect(starts == [400])
        #expect(server.requests.last?.header("If-Range") == modified)
        try expectFile()
    }

    /// Version 1.0 stored no total.
    @Test func partWithoutATotalContinues() async throws {
        try await breakOff()
        let text = try #require(folder.text(".report.partial-of"))
        let older = text.replacing(/"total":1000,|,"total":1000/, with: "")
        #expect(older != text)
        try Data(older.utf8).write(to: folder.url(".report.partial-of"))

        let starts = try await download { [content] _ in .tagged(content) }

        #expect(starts == [400])
        try expectFile()
    }

    @Test func requestTypeThatAcceptsOnly200Continues() async throws {
        try await breakOff()
        server.on(.get("/v1/echo"), reply: .tagged(content))

        try await client().download(DataRequest(accepts: { $0 == 200 }), to: file)

        #expect(server.requests.last?.rangeStart == 400)
        try expectFile()
    }

    @Test(arguments: [(503, 400), (206, 700)])
    func downloadContinuesAfterARefusalAndAnInterruptedRange(status: Int, start: Int) async throws {
        try await breakOff()
        server.on(.get("/v1/echo"), times: 1) { [content] in
            status == 503
                ? .status(503)
                : .rest(of: content, from: $0.rangeStart ?? 0).truncated(after: 300)
        }
        await #expect(throws: APIError.self) { try await download() }

        let starts = try await download { [content] _ in .tagged(content) }

        #expect(starts == [start])
        try expectFile()
    }

    @Test(arguments: ["1000", "*"])
    func downloadContinuesAfterRangeShorterThanRequested(total: String) async throws {
        server.on(.get("/v1/echo"), times: 3) { [content] request in
            guard let start = request.rangeStart else {
                return .tagged(content).truncated(after: 400)
            }
            let end = min(start + 300, content.count)
            return .part(content[start..<end], range: "bytes \(start)-\(end - 1)/\(total)")
        }

        try await client(Retry.immediate).download(EchoRequest(), to: file)

        #expect(server.requests.map(\.rangeStart) == [nil, 400, 700])
        try expectFile()
    }

    @Test func rangeWithUnknownTotalCompletesDownload() async throws {
        try await breakOff()

        let starts = try await download { [content] _ in
            .part(content[400...], range: "bytes 400-999/*")
        }

        #expect(starts == [400])
        try expectFile()
    }

    @Test func observersReceiveAttemptForEachRequest() async throws {
        try await breakOff()
        server.on(.get("/v1/echo"), times: 2) { [content] request in
            request.rangeStart == nil ? .tagged(content) : .status(416)
        }
        let events = Locked<[String]>([])
        var client = client()
        client.observers = { _ in [RecordingObserver(events: events)] }

        try await client.download(EchoRequest(), to: file)

        #expect(
            events.current == [
                "started", "sent 1: /v1/echo", "received 1: 416", "sent 2: /v1/echo",
                "received 2: 200", "succeeded: \(file)",
            ])
    }
}

extension DownloadResumeTests {
    enum Misfit: CaseIterable {
        case otherStart, noRange, otherState, noState, otherDate, otherTotal, otherStatus
        case compressed, notSatisfiable

        func response(_ content: Data) -> MockResponse {
            switch self {
            case .otherStart: .rest(of: content, from: 300)
            case .noRange: .part(content, range: nil)
            case .otherState: .rest(of: content, from: 400).header("ETag", "\"2\"")
            case .noState:
                .data(content[400...], status: 206).header("Content-Range", "bytes 400-999/1000")
            case .otherDate: .rest(of: content, from: 400).header("ETag", "W/\"1\"")
            case .otherTotal: .part(content[400...], range: "bytes 400-999/1001")
            case .otherStatus:
                .data(content[400...]).header("ETag", "\"1\"")
                    .header("Content-Range", "bytes 400-999/1000")
            case .compressed: .rest(of: content, from: 400).header("Content-Encoding", "gzip")
            case .notSatisfiable: .status(416).header("Content-Range", "bytes */\(content.count)")
            }
        }
    }

    enum Damage: CaseIterable { case noOrigin, noSense, noBytes }

    @Test func changedResourceStartsOver() async throws {
        try await breakOff()
        let changed = Data("changed".utf8)

        let starts = try await download { _ in .tagged(changed).header("ETag", "\"2\"") }

        #expect(starts == [400])
        try expectFile(changed)
    }

    @Test(arguments: Misfit.allCases)
    func mismatchedRangeStartsOver(misfit: Misfit) async throws {
        try await breakOff()

        let starts = try await download { [content] request in
            request.rangeStart == nil ? .tagged(content) : misfit.response(content)
        }

        #expect(starts == [400, nil])
        try expectFile()
    }

    @Test(arguments: Damage.allCases)
    func damagedPartIsNotUsed(damage: Damage) async throws {
        try await breakOff()
        switch damage {
        case .noOrigin:
            try FileManager.default.removeItem(at: folder.url(".report.partial-of"))
        case .noSense:
            try Data("sense".utf8).write(to: folder.url(".report.partial-of"))
        case .noBytes:
            try FileManager.default.removeItem(at: folder.url(".report.partial"))
        }

        let starts = try await download { [content] _ in .tagged(content) }

        #expect(starts == [nil])
        try expectFile()
    }

    @Test func requestWithRangeIsNotContinued() async throws {
        try await breakOff()
        let request = EchoRequest { try URLRequest(.get, "echo", headers: ["Range": "bytes=0-9"]) }

        let starts = try await download(request) { request in
            #expect(request.header("Range") == "bytes=0-9")
            #expect(request.header("If-Range") == nil)
            return .text("0123456789")
        }

        #expect(starts.count == 1)
        try expectFile("0123456789")
    }

    @Test func postIsNotContinued() async throws {
        let request = EchoRequest { try URLRequest(.post, "echo") }
        server.on(.post("/v1/echo"), reply: brokenResponse(), times: 1)

        await #expect(throws: APIError.self) { try await client().download(request, to: file) }

        #expect(try folder.names.isEmpty)
    }

    @Test(arguments: [
        [:], ["ETag": "W/\"1\""], ["ETag": "\"\u{1}\""],
        ["Last-Modified": "Sun, 01 Nov 2026 09:00:00 GMT"],
        [
            "Last-Modified": "Sun, 01 Nov 2026 09:00:00 GMT",
            "Date": "Sun, 01 Nov 2026 09:00:00 GMT",
        ],
        [
            "Last-Modified": "Sun,\u{1}01 Nov 2026 09:00:00 GMT",
            "Date": "Sun, 01 Nov 2026 10:00:00 GMT",
        ],
        ["ETag": "\"1\"", "Content-Encoding": "gzip"],
    ])
    func responseWithoutStrongValidatorLeavesNoPart(headers: [String: String]) async throws {
        let response = headers.reduce(MockResponse.data(content)) { $0.header($1.key, $1.value) }
        try await breakOff(response: response.truncated(after: 400))

        #expect(try folder.names.isEmpty)
        let starts = try await download { [content] _ in .tagged(content) }
        #expect(starts == [nil])
        try expectFile()
    }
}
