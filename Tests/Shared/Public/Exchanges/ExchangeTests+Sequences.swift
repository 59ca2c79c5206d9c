import APIKit
import Foundation
import Testing

extension Backend {
    // A session on Linux refuses such a body, and a mock in between reads it whole.
    static let ofSequences = tested.filter {
        #if canImport(FoundationNetworking)
        [.apple, .transport].contains($0)
        #else
        ![.passthrough, .recording].contains($0)
        #endif
    }
}

extension ExchangeTests {
    @Test(arguments: Backend.ofSequences, [nil, 600_000])
    func sequenceArrivesWhole(backend: Backend, length: Int?) async throws {
        let texts = (0..<200).map { String(repeating: "\($0 % 10)", count: 3_000) }
        try await backend.run(respond: { .text("\($0.body.count)") }) { site in
            let steps = ProgressLog()

            let text = try await site.client().upload(
                TextRequest(), with: URLRequest(.post, "dogs"),
                from: .stream(Texts(texts), length: length)
            ) { steps.append($0) }

            let received = try #require(await site.requests.first)
            #expect(text == "600000")
            #expect(received.body == Data(texts.joined().utf8))
            #expect(received.header("Content-Length") == length.map(String.init))
            #expect(steps.last == TransferProgress(completedBytes: 600_000, totalBytes: length))
        }
    }

    @Test(arguments: Backend.ofSequences, [303, 307, 308])
    func sequenceIsNotSentAgainAfterARedirect(backend: Backend, status: Int) async throws {
        try await backend.run(respond: { request in
            request.path == "/end" ? .text("there") : .redirect(status, to: "/end")
        }) { site in
            let result = await Result {
                try await site.client().upload(
                    TextRequest(), with: URLRequest(.post, "start"),
                    from: .stream(Texts("Rex"), length: 3))
            }

            let requests = await site.requests
            if status == 303 {
                let text = try result.get()
                #expect(text == "there")
                #expect(requests.map(\.text) == ["Rex", ""])
                #expect(requests.last?.method == "GET")
                #expect(requests.last?.header("Content-Length") == nil)
            } else {
                let error = #expect(throws: APIError.self) { try result.get() }
                #expect(error?.kind == .status(status))
                #expect(requests.map(\.text) == ["Rex"])
            }
        }
    }

    @Test(arguments: Backend.ofSequences, [nil, 9])
    func sequenceThatBreaksOffSendsNoWholeBody(backend: Backend, length: Int?) async throws {
        let texts = Texts("Rex", error: length == nil ? CocoaError(.fileReadUnknown) : nil)
        try await backend.run(respond: { _ in .text("whole") }) { site in
            let error = await #expect(throws: APIError.self) {
                try await site.client().upload(
                    TextRequest(), with: URLRequest(.post, "dogs"),
                    from: .stream(texts, length: length))
            }

            #expect(error?.kind != .transport)
            // A server can have received the head.
            #expect(await site.requests.allSatisfy(\.body.isEmpty))
        }
    }
}

extension ExchangeTests {
    // A mock that is a transport reads the body first.
    @Test(arguments: Backend.ofSequences.filter { $0 != .transport })
    func requestThatIsNotValidDoesNotUseUpItsSequence(backend: Backend) async throws {
        try await backend.run(respond: { .text($0.text) }) { site in
            let body = HTTPBody.stream(Texts("Rex"))
            let upload = { @Sendable (method: String) async throws -> Data in
                var request = URLRequest(url: site.baseURL)
                request.httpMethod = method
                return try await site.transport.upload(request, from: body) { _ in }.0
            }

            await #expect(throws: APIError.self) { try await upload("NO METHOD") }
            let data = try await upload("POST")

            #expect(data == Data("Rex".utf8))
        }
    }

    @Test(arguments: Backend.ofSequences)
    func canceledUploadOfASequenceEndsAtAnyMoment(backend: Backend) async throws {
        let texts = Array(repeating: String(repeating: "x", count: 3_000), count: 50)
        try await backend.run(respond: { request in
            request.number == 0 ? .redirect(307, to: "/1") : .chunks(["a", "b", "c"])
        }) { site in
            for round in 0..<Stress.count(3_000) {
                let call = Task {
                    try await site.client().upload(
                        TextRequest(), with: URLRequest(.post, "\(round % 2)"),
                        from: .stream(Texts(texts)))
                }
                try await Task.sleep(for: .microseconds(Int.random(in: 0..<2_000)))
                call.cancel()
                do {
                    #expect(try await call.value == "abc")
                } catch let error as APIError {
                    #expect(error.kind == .status(307))
                } catch {
                    #expect(error is CancellationError)
                }
            }
        }
    }
}
