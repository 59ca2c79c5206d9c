import APIKit
import APIKitTesting
import Foundation
import Testing

/// The responses that a download accepts as the content of a file, or as a part of it.
@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct DownloadContentTests: DownloadSuite {
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    // MARK: - Responses without content

    @Test func responseWithoutContentCreatesNoFile() async throws {
        server.on(.get("/v1/echo"), reply: .status(304))

        try await client().download(DataRequest.anyStatus(), to: file)

        #expect(try folder.names.isEmpty)
    }

    // MARK: - Lengths

    @Test func transferEncodingOverridesContentLength() async throws {
        server.on(
            .get("/v1/echo"),
            reply: .text("0123456789").header("Transfer-Encoding", "chunked")
                .header("Content-Length", "1000"))
        let steps = Locked<[TransferProgress]>([])

        try await client().download(EchoRequest(), to: file) { steps.append($0) }

        #expect(folder.text("report") == "0123456789")
        #expect(steps.current.last == TransferProgress(completedBytes: 10, totalBytes: 10))
    }

    @Test(arguments: ["-1", "+1", "", "ten", "1, 2", "99999999999999999999", "0x10"])
    func invalidContentLengthCountsAsUnknown(length: String) async throws {
        let transport = stub(200, ["Content-Length": length], Data("0123456789".utf8))

        try await APIClient.make(transport: transport).download(EchoRequest(), to: file)

        #expect(folder.text("report") == "0123456789")
    }

    @Test func bodyShorterThanContentLengthIsALostConnection() async throws {
        server.on(.get("/v1/echo"), reply: .text("0123").header("Content-Length", "10"))

        await expectError(.transport, .networkConnectionLost) { try await download() }
    }

    @Test func bodyLongerThanContentLengthIsABadResponse() async throws {
        server.on(
            .get("/v1/echo"),
            reply: .stream([content, content])
                .header("Content-Length", "1000").header("ETag", "\"1\""))

        let error = await expectError(.transport, .badServerResponse) { try await download() }
        #expect(
            error?.description == """
                GET https://api.example.com/v1/echo failed: the server sent no usable response: its \
                body is longer than its header fields say (URLError -1011).
                """)
        #expect(try folder.names.isEmpty)
    }

    // MARK: - Ranges

    @Test(arguments: [nil, "bytes 0-399/1000", "bytes 0-999/1000", "bytes 0-399/*"])
    func unrequested206IsABadResponse(range: String?) async throws {
        _ = try folder.file("report", Data("old".utf8))
        server.on(.get("/v1/echo")) { [content] _ in
            .part(content.prefix(400), range: range)
        }

        let error = await #expect(throws: APIError.self) { try await download() }

        #expect(error?.urlError?.code == .badServerResponse)
        #expect(
            error?.description == """
                GET https://api.example.com/v1/echo failed: the server sent no usable response: it \
                is partial, but the request has no Range (URLError -1011).
                """)
        try expectFile("old")
    }

    private static let invalidRanges: [String?] = [
        nil, "", "bytes", "bytes */1000", "bytes 400-999", "bytes 400-999/", "bytes 400/1000",
        "bytes 999-400/1000", "bytes -400-999/1000", "bytes +400-999/1000", "bytes 400--999/1000",
        "bytes 400-999/999", "bytes 400-999/-1", "items 400-999/1000",
        "bytes 400-\(Int.max)/*", "bytes \(Int.max)-\(Int.max)/*",
        "bytes 400-99999999999999999999/*", "bytes 400-999/99999999999999999999",
        "bytes 400-499/1000, bytes 500-999/1000",
    ]

    @Test(arguments: invalidRanges)
    func restWithInvalidRangeStartsOver(range: String?) async throws {
        try await breakOff()
        server.on(.get("/v1/echo")) { [content] request in
            guard request.rangeStart != nil else { return .tagged(content) }
            return .part(content[400...], range: range)
        }

        try await download()

        try expectFile()
    }

    /// The end of the range and the Content-Length overflow an `Int`.
    @Test(arguments: [
        "bytes 400-\(Int.max - 1)/*", "bytes 400-\(Int.max - 1)/\(Int.max)",
        "bytes 400-999/\(Int.max)",
    ])
    func rangeThatOverflowsAnIntegerIsIncomplete(range: String) async throws {
        // Otherwise the total would be known.
        let start = MockResponse.stream([content.prefix(400), content.suffix(600)])
        try await breakOff(response: start.header("ETag", "\"1\"").truncated(after: 400))
        let rest = stub(
            206,
            ["Content-Range": range, "Content-Length": "\(Int.max - 1)", "ETag": "\"1\""],
            content[400...])

        let error = await #expect(throws: APIError.self) {
            try await APIClient.make(transport: rest).download(EchoRequest(), to: file)
        }

        #expect(error?.urlError?.code == .networkConnectionLost)
    }

    /// A range with an unknown total still states its end.
    @Test(
        arguments: [
            (1_000, "bytes 400-499/1000", .badServerResponse),
            (700, "bytes 400-999/*", .networkConnectionLost),
        ] as [(Int, String, URLError.Code)])
    func restOfAnotherLengthThanItsRangeFails(
        end: Int, range: String, code: URLError.Code
    ) async throws {
        try await breakOff()
        server.on(.get("/v1/echo"), reply: .part(content[400..<end], range: range))

        let error = await #expect(throws: APIError.self) { try await download() }

        #expect(error?.urlError?.code == code)
        if code == .badServerResponse { #expect(try folder.names.isEmpty) }
    }

    private func stub(_ status: Int, _ headers: [String: String], _ body: Data) -> StubTransport {
        let url = "https://api.example.com/v1/echo"
        return StubTransport { _ in
            (Data(body), try HTTPURLResponse.make(status, url: url, headers: headers))
        }
    }

    // MARK: - Random connections

    /// Every download is complete or fails, wherever the connection breaks.
    @Test(arguments: 0..<Stress.count(40))
    func downloadIsCompleteOrFailsAfterRandomBreaks(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let bytes = Data((0..<Int.random(in: 1...2000, using: &random)).map { UInt8($0 % 251) })
        let other = Data(bytes.reversed())
        var current = (bytes, "\"1\"")

        for _ in 0..<12 {
            if Int.random(in: 0..<4, using: &random) == 0 {
                current = current.1 == "\"1\"" ? (other, "\"2\"") : (bytes, "\"1\"")
            }
            let cut = Int.random(in: 0...bytes.count, using: &random)
            let ignoresValidator = Int.random(in: 0..<4, using: &random) == 0
            let shift = Int.random(in: 0..<6, using: &random) == 0 ? 1 : 0
            let (content, tag) = current
            let server = MockServer { request in
                let start = request.rangeStart ?? 0
                guard start > 0, ignoresValidator || request.header("If-Range") == tag else {
                    return .data(content).header("ETag", tag).cut(after: cut, of: content.count)
                }
                guard start < content.count else { return .status(416) }
                let first = min(start + shift, content.count - 1)
                return .rest(of: content, from: first).header("ETag", tag)
                    .cut(after: cut, of: content.count - first)
            }
            do {
                try await APIClient.make(transport: server).download(EchoRequest(), to: file)
                try expectFile(content)
            } catch let error as APIError {
                #expect(error.urlError?.code == .networkConnectionLost, "\(error)")
            }
        }
    }
}

extension MockResponse {
    /// Cuts off the body if it is longer than a limit.
    fileprivate func cut(after limit: Int, of count: Int) -> MockResponse {
        limit < count ? truncated(after: limit) : self
    }
}
