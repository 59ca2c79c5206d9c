import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer, .timeLimit(.minutes(10))) struct DownloadResumeTests {
    private let server = MockServer.current
    private let folder: TemporaryDirectory
    private let content = Data((0..<1000).map { UInt8($0 % 127) })
    private var file: URL { folder.url("report") }
    private static let partial = [".report.partial", ".report.partial-of"]

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func client(_ interceptors: any APIInterceptor...) -> APIClient {
        .make(transport: server.session, interceptors: interceptors)
    }

    /// Downloads until the connection breaks, by default after 400 bytes of a named state.
    private func breakOff(
        after count: Int = 400, _ change: (MockResponse) -> MockResponse = { $0 }
    ) async throws {
        let response = change(.data(content).header("ETag", "\"1\"").truncated(after: count))
        server.on(.get("/v1/echo"), reply: response, times: 1)
        await #expect(throws: APIError.self) {
            try await client().download(EchoRequest(), to: file)
        }
    }

    /// Downloads from a server that answers as told, and returns the starts that it was asked for.
    private func download(
        _ request: EchoRequest = EchoRequest(),
        respond: @escaping @Sendable (RecordedRequest) -> MockResponse
    ) async throws -> [Int?] {
        let route = server.on(.get("/v1/echo"), respond: respond)
        try await client().download(request, to: file)
        return route.requests.map(\.rangeStart)
    }

    private func expectWhole(_ content: Data? = nil) throws {
        #expect(try Data(contentsOf: file) == content ?? self.content)
        #expect(try folder.names == ["report"])
    }

    // MARK: - Going on

    @Test func nextAttemptContinues() async throws {
        server.on(.get("/v1/echo"), times: 3) { [content] request in
            request.reply(content).truncated(after: 400)
        }
        let steps = Locked<[TransferProgress]>([])

        try await client(Retry.immediate).download(EchoRequest(), to: file) { steps.append($0) }

        try expectWhole()
        #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=400-", "bytes=800-"])
        #expect(server.requests.map { $0.header("If-Range") } == [nil, "\"1\"", "\"1\""])
        #expect(steps.current.map(\.completedBytes) == [0, 400, 800, 1000])
        #expect(steps.current.allSatisfy { $0.totalBytes == 1000 })
    }

    @Test func progressEndsAtSizeOfSmallerResource() async throws {
        server.on(
            .get("/v1/echo"),
            reply: .data(content).header("ETag", "\"1\"").truncated(after: 400),
            .data(content.prefix(100)).header("ETag", "\"2\""), times: 2)
        let steps = Locked<[TransferProgress]>([])

        try await client(Retry.immediate).download(EchoRequest(), to: file) { steps.append($0) }

        #expect(steps.current.map(\.completedBytes) == [0, 400, 100])
        #expect(steps.current.last?.fraction == 1)
    }

    @Test func laterCallContinues() async throws {
        try await breakOff()
        #expect(try folder.names == Self.partial)

        let starts = try await download { [content] in $0.reply(content) }

        #expect(starts == [400])
        try expectWhole()
    }

    @Test func downloadContinuesAfterCancellation() async throws {
        let body = HeldBody()
        server.on(
            .get("/v1/echo"), reply: .stream(body.chunks).header("ETag", "\"1\""), times: 1)
        let begun = Waiter<Void>()
        let (client, file) = (client(), file)
        let load = Task {
            try await client.download(EchoRequest(), to: file) { progress in
                if progress.completedBytes == 5 { begun.signal() }
            }
        }
        body.send("01234")
        try await begun.value
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }

        let starts = try await download { $0.reply(Data("0123456789".utf8)) }

        #expect(starts == [5])
        try expectWhole(Data("0123456789".utf8))
    }

    @Test func downloadContinuesAfterDeadline() async throws {
        let (body, begun, clock) = (HeldBody(), Waiter<Void>(), ManualClock())
        server.on(
            .get("/v1/echo"), reply: .stream(body.chunks).header("ETag", "\"1\""), times: 1)
        let (client, file) = (client(Deadline(.seconds(9), clock: clock)), file)
        let load = Task {
            try await client.download(EchoRequest(), to: file) { progress in
                if progress.completedBytes == 400 { begun.signal() }
            }
        }
        body.send(String(decoding: content[..<400], as: UTF8.self))
        try await begun.value
        clock.advance(by: .seconds(9))
        await expectError(.deadline) { try await load.value }

        let starts = try await download { [content] in $0.reply(content) }

        #expect(starts == [400])
    }

    @Test func downloadContinuesAfterRefusal() async throws {
        try await breakOff()
        server.on(.get("/v1/echo"), reply: .status(503), times: 1)
        await #expect(throws: APIError.self) {
            try await client().download(EchoRequest(), to: file)
        }

        let starts = try await download { [content] in $0.reply(content) }

        #expect(starts == [400])
        try expectWhole()
    }

    @Test func lastModifiedDateIdentifiesVersion() async throws {
        let modified = "Sun, 01 Nov 2026 09:00:00 GMT"
        try await breakOff { _ in
            .data(content).header("Last-Modified", modified)
                .header("Date", "Sun, 01 Nov 2026 09:00:01 GMT").truncated(after: 400)
        }

        let starts = try await download { [content] request in
            #expect(request.header("If-Range") == modified)
            return .rest(of: content, from: request.rangeStart ?? 0)
        }

        #expect(starts == [400])
        try expectWhole()
    }

    @Test func requestTypeThatAcceptsOnly200Continues() async throws {
        struct StrictRequest: APIRequest {
            typealias ResponseDataType = Data
            func makeRequest(from data: Void) throws -> URLRequest { try URLRequest(.get, "echo") }
            func accepts(_ response: HTTPURLResponse) -> Bool { response.statusCode == 200 }
        }
        try await breakOff()
        server.on(.get("/v1/echo")) { [content] in $0.reply(content) }

        try await client().download(StrictRequest(), to: file)

        #expect(server.requests.last?.rangeStart == 400)
        try expectWhole()
    }

    /// A 206 need not name the state that it was asked for by.
    @Test func downloadContinuesAfterBrokenRest() async throws {
        try await breakOff()
        server.on(.get("/v1/echo"), times: 1) { [content] in
            .rest(of: content, from: $0.rangeStart ?? 0).truncated(after: 300)
        }
        await #expect(throws: APIError.self) {
            try await client().download(EchoRequest(), to: file)
        }

        let starts = try await download { [content] in $0.reply(content) }

        #expect(starts == [700])
        try expectWhole()
    }

    @Test func downloadContinuesAfterPartialRest() async throws {
        server.on(.get("/v1/echo"), times: 3) { [content] request in
            guard let start = request.rangeStart else {
                return request.reply(content).truncated(after: 400)
            }
            let end = min(start + 300, content.count)
            return .data(content[start..<end], status: 206)
                .header("Content-Range", "bytes \(start)-\(end - 1)/\(content.count)")
        }

        try await client(Retry.immediate).download(EchoRequest(), to: file)

        #expect(server.requests.map(\.rangeStart) == [nil, 400, 700])
        try expectWhole()
    }

    @Test func restOfUnknownTotalCompletesDownload() async throws {
        try await breakOff()

        let starts = try await download { [content] _ in
            .data(content[400...], status: 206).header("Content-Range", "bytes 400-999/*")
        }

        #expect(starts == [400])
        try expectWhole()
    }

    // MARK: - Starting over

    @Test func fullResponseStartsOver() async throws {
        try await breakOff()

        let starts = try await download { [content] _ in .data(content).header("ETag", "\"1\"") }

        #expect(starts == [400])
        try expectWhole()
    }

    @Test func changedResourceStartsOver() async throws {
        try await breakOff()
        let changed = Data("changed".utf8)

        let starts = try await download { $0.reply(changed, tag: "\"2\"") }

        #expect(starts == [400])
        try expectWhole(changed)
    }

    enum Misfit: CaseIterable {
        case otherStart, noRange, otherState, otherDate, compressed, notSatisfiable

        func response(_ content: Data) -> MockResponse {
            switch self {
            case .otherStart: .rest(of: content, from: 300)
            case .noRange: .data(content, status: 206)
            case .otherState: .rest(of: content, from: 400).header("ETag", "\"2\"")
            case .otherDate: .rest(of: content, from: 400).header("ETag", "W/\"1\"")
            case .compressed: .rest(of: content, from: 400).header("Content-Encoding", "gzip")
            case .notSatisfiable: .status(416).header("Content-Range", "bytes */\(content.count)")
            }
        }
    }

    @Test(arguments: Misfit.allCases)
    func restThatDoesNotFitStartsOver(misfit: Misfit) async throws {
        try await breakOff()

        let starts = try await download { [content] request in
            request.rangeStart == nil ? request.reply(content) : misfit.response(content)
        }

        #expect(starts == [400, nil])
        try expectWhole()
    }

    @Test func partOfAnotherResourceIsNotUsed() async throws {
        try await breakOff()
        server.on(.get("/v1/other"), reply: .text("other"))

        try await client().download(
            EchoRequest { try URLRequest(.get, "other") }, to: file)

        #expect(server.requests.last?.header("Range") == nil)
        try expectWhole(Data("other".utf8))
    }

    enum Damage: CaseIterable { case noOrigin, noSense, noBytes }

    @Test(arguments: Damage.allCases)
    func damagedPartIsNotUsed(damage: Damage) async throws {
        try await breakOff()
        switch damage {
        case .noOrigin:
            try FileManager.default.removeItem(at: folder.url(Self.partial[1]))
        case .noSense:
            try Data("sense".utf8).write(to: folder.url(Self.partial[1]))
        case .noBytes:
            try FileManager.default.removeItem(at: folder.url(Self.partial[0]))
        }

        let starts = try await download { [content] in $0.reply(content) }

        #expect(starts == [nil])
        try expectWhole()
    }

    @Test func requestWithRangeAsksForNoRest() async throws {
        try await breakOff()
        let request = EchoRequest {
            try URLRequest(.get, "echo", headers: ["Range": "bytes=0-9"])
        }

        let starts = try await download(request) { request in
            #expect(request.header("Range") == "bytes=0-9")
            #expect(request.header("If-Range") == nil)
            return .text("0123456789")
        }

        #expect(starts.count == 1)
        try expectWhole(Data("0123456789".utf8))
    }

    @Test func postIsNotContinued() async throws {
        let request = EchoRequest { try URLRequest(.post, "echo") }
        server.on(
            .post("/v1/echo"),
            reply: .data(content).header("ETag", "\"1\"").truncated(after: 400), times: 1)

        await #expect(throws: APIError.self) { try await client().download(request, to: file) }

        #expect(try folder.names.isEmpty)
    }

    // MARK: - What stays

    @Test(arguments: [
        [:], ["ETag": "W/\"1\""], ["Last-Modified": "Sun, 01 Nov 2026 09:00:00 GMT"],
        [
            "Last-Modified": "Sun, 01 Nov 2026 09:00:00 GMT",
            "Date": "Sun, 01 Nov 2026 09:00:00 GMT",
        ],
        ["ETag": "\"1\"", "Content-Encoding": "gzip"],
    ])
    func responseWithoutStrongValidatorLeavesNoPart(headers: [String: String]) async throws {
        try await breakOff { _ in
            headers.reduce(MockResponse.data(content)) { $0.header($1.key, $1.value) }
                .truncated(after: 400)
        }

        #expect(try folder.names.isEmpty)
        let starts = try await download { [content] in $0.reply(content) }
        #expect(starts == [nil])
        try expectWhole()
    }

    @Test func observersReceiveAttemptForEachRequest() async throws {
        try await breakOff()
        server.on(.get("/v1/echo"), times: 2) { [content] request in
            request.rangeStart == nil ? request.reply(content) : .status(416)
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
