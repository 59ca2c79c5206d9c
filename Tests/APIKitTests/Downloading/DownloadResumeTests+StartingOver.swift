import APIKit
import APIKitTesting
import Foundation
import Testing

extension DownloadResumeTests {
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

    enum Damage: CaseIterable { case noOrigin, noSense, noBytes }

    @Test func fullResponseStartsOver() async throws {
        try await breakOff()

        let starts = try await download { [content] _ in .data(content).header("ETag", "\"1\"") }

        #expect(starts == [400])
        try expectFile()
    }

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

    @Test func partOfAnotherResourceIsNotUsed() async throws {
        try await breakOff()
        server.on(.get("/v1/other"), reply: .text("other"))

        try await client().download(EchoRequest { try URLRequest(.get, "other") }, to: file)

        #expect(server.requests.last?.header("Range") == nil)
        try expectFile("other")
    }

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
        [:], ["ETag": "W/\"1\""], ["Last-Modified": "Sun, 01 Nov 2026 09:00:00 GMT"],
        [
            "Last-Modified": "Sun, 01 Nov 2026 09:00:00 GMT",
            "Date": "Sun, 01 Nov 2026 09:00:00 GMT",
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
