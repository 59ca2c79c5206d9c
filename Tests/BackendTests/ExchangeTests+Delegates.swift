import APIKit
import Foundation
import Testing

extension ExchangeTests {
    @Test(arguments: Backend.sessions.filter { ![.apple, .recording].contains($0) })
    func uploadReportsItsStepsToTheDelegate(backend: Backend) async throws {
        let delegate = UploadDelegate()
        try await backend.run(delegate: delegate, respond: { _ in .text("thanks") }) {
            session, site in
            var request = URLRequest(url: site.baseURL)
            request.httpMethod = "POST"

            session.uploadTask(with: request, from: Data(count: 1_000_000)).resume()
            for await _ in delegate.completion.stream {}

            let steps = delegate.steps.withLock { $0 }
            #expect(steps.count > 1)
            #expect(steps.reduce(0) { $0 + $1.sent } == 1_000_000)
            #expect(steps.last?.total == 1_000_000)
            #expect(steps.allSatisfy { $0.expected == 1_000_000 })
        }
    }

    @Test(arguments: Backend.sessions)
    func delegateDecidesAboutRedirects(backend: Backend) async throws {
        let delegate = RedirectDelegate { request in
            guard request.url?.path != "/refused" else { return nil }
            var request = request
            request.setValue("Bello", forHTTPHeaderField: "X-Dog")
            return request
        }
        try await backend.run(
            delegate: delegate,
            respond: { request in
                request.path == "/end"
                    ? .text(request.header("X-Dog") ?? "none")
                    : .redirect(to: request.path == "/start" ? "/end" : "/refused")
            }
        ) { _, site in
            let response = try await site.load("/start")
            #expect(response.value == "Bello")
            let error = await #expect(throws: APIError.self) { try await site.load("/other") }
            #expect(error?.kind == .status(302))
            #expect(error?.body == Data("moved".utf8))
            #expect(await site.lines == ["GET /start", "GET /end", "GET /other"])
        }
    }
}

extension ExchangeTests {
    @Test(arguments: Backend.sessions)
    func delegateOfSessionOverridesThePolicy(backend: Backend) async throws {
        let proposals = Locked<[String]>([])
        let delegate = RedirectDelegate { request in
            proposals.withLock { $0.append(request.url?.path ?? "") }
            return nil
        }
        try await backend.run(delegate: delegate, respond: { _ in .redirect(to: "/end") }) {
            session, site in
            for policy in [RedirectPolicy.follow, .sameOrigin, .never] {
                proposals.withLock { $0 = [] }

                let request = URLRequest(url: site.baseURL.appending(path: "start"))
                let (data, response) = try await session.redirecting(policy).send(request)

                #expect(data == Data("moved".utf8))
                #expect((response as? HTTPURLResponse)?.statusCode == 302)
                #expect(proposals.withLock { $0 } == (policy == .never ? [] : ["/end"]))
            }
        }
    }
}

/// A delegate that records the steps of an upload.
private final class UploadDelegate: NSObject, URLSessionTaskDelegate {
    let steps = Locked<[(sent: Int64, total: Int64, expected: Int64)]>([])
    let completion = AsyncStream.makeStream(of: Never.self)

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        steps.withLock { $0.append((bytesSent, totalBytesSent, totalBytesExpectedToSend)) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        completion.continuation.finish()
    }
}
