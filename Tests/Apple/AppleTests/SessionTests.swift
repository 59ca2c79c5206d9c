import Foundation
import Testing

@testable import APIKit

/// What a session does only on Apple platforms.
@Suite(.serialized, .timeLimit(.minutes(1))) struct SessionTests {
    @Test(arguments: [UploadKind.data, .file], [true, false])
    func bodyIsSentAgainOnANewConnection(kind: UploadKind, isRedirected: Bool) async throws {
        let directory = try TemporaryDirectory()
        let body = try kind.body(in: directory)
        let replies = Locked<[Reply?]>([nil, .text("done")])
        if isRedirected { replies.withLock { $0.insert(.redirect(307, to: "/end"), at: 0) } }
        try await Backend.apple.run(respond: { _ in
            if let reply = replies.withLock({ $0.removeFirst() }) { return reply }
            throw URLError(.requestBodyStreamExhausted)
        }) { site in
            let text = try await site.client().upload(
                TextRequest(), with: URLRequest(.post, "start"), from: body)

            #expect(text == "done")
            let bodies = try Array(repeating: body.data(), count: isRedirected ? 3 : 2)
            #expect(await site.requests.map(\.body) == bodies)
        }
    }

    @Test func sequenceIsNotSentAgainOnANewConnection() async throws {
        try await Backend.apple.run(respond: { _ in throw URLError(.requestBodyStreamExhausted) }) {
            site in
            let error = await #expect(throws: APIError.self) {
                try await site.client().upload(
                    TextRequest(), with: URLRequest(.post, "dogs"), from: .stream(Texts("Rex")))
            }
            #expect(error?.urlError?.code == .requestBodyStreamExhausted)
            #expect(await site.requests.count == 1)
        }
    }

    @Test func refusedUploadReadsNoMoreOfItsSequence() async throws {
        let texts = Texts(Array(repeating: String(repeating: "x", count: 1_000), count: 5_000))
        let session = URLSession.make()
        session.network = { request, body in
            _ = try await body(50_000)
            return try request.response(.text("too large", status: 413))
        }
        var request = try URLRequest(url: #require(URL(string: "http://127.0.0.1")))
        request.httpMethod = "POST"

        let (data, _) = try await session.upload(request, from: .stream(texts)) { _ in }

        #expect(data == Data("too large".utf8))
        #expect(texts.read.withLock { $0 } < 500)
    }

    /// With the address sanitizer, it finds a delegate that is released too early.
    @Test func releasedWriterReceivesNoEvent() async throws {
        func opened() async throws -> (InputStream, Locked<(@Sendable () async throws -> Void)?>) {
            let (stream, _, write) = try await URLSession.shared.open(
                .stream(Texts("Rex")), for: URLRequest(url: URL(filePath: "/")))
            return (stream, Locked(write))
        }
        for _ in 0..<Stress.count(20_000) {
            let (input, writer) = try await opened()
            nonisolated(unsafe) let stream = input
            stream.open()
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                if index == 0 { stream.close() } else { writer.withLock { $0 = nil } }
            }
        }
    }
}
