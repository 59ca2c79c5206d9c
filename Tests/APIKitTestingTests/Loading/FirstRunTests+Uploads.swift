import APIKit
import Foundation
import Testing

/// Uploads of a body that arrives while it is sent, and redirects that a delegate declines.
extension FirstRunTests {
    /// A body of 20 MB.
    private static func large(length: Int? = nil) -> HTTPBody {
        .stream(
            AsyncStream { sender in
                for _ in 0..<200 { sender.yield(Data(count: 100_000)) }
                sender.finish()
            }, length: length)
    }

    private func upload(_ body: HTTPBody, to url: URL) async -> String {
        await answer {
            try await Self.serial().upload(request(url, "POST"), from: body) { _ in }
        }
    }

    @Test(arguments: [nil, 20_000_000]) func streamedUpload(length: Int?) async throws {
        let server = try LoopbackServer.serving { connection in
            let request = try connection.request()
            let body = length == nil ? try connection.chunkedBody() : request.bodyBytes
            connection.write(LoopbackServer.response(200, body: "\(body.count)"))
        }

        let answer = await upload(Self.large(length: length), to: server.url("/"))

        report("20 MB of length \(length ?? 0)", answer, onLinux: "APIError")
    }

    @Test(arguments: [307, 413]) func streamedUploadThatIsRefused(status: Int) async throws {
        let server = try LoopbackServer.serving { connection in
            _ = try connection.head()
            try connection.skip(100_000)
            connection.write(LoopbackServer.response(status, ["Location: /b"], body: "no"))
            connection.skipToEnd()
        }

        let answer = await upload(Self.large(), to: server.url("/"))

        report("\(status) after 100 kB of an upload", answer, onLinux: "APIError")
    }

    @Test func streamedUploadThatIsCanceled() async throws {
        let server = try LoopbackServer.serving { $0.skipToEnd() }
        var answers: [String: Int] = [:]
        for round in 0..<200 {
            let call = Task { await upload(Self.large(), to: server.url("/")) }
            try await Task.sleep(for: .microseconds(round * 50))
            call.cancel()
            answers[await call.value, default: 0] += 1
        }

        let text = answers.sorted { $0.key < $1.key }.map { "\($0) \($1)" }
        report("200 canceled uploads", text.joined(separator: ", "), onLinux: nil)
    }

    @Test func declinedRedirect() async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(302, ["Location: /b", "Set-Cookie: dog=Rex"], body: "moved")
        }

        let events = await DecliningDelegate().load(request(server.url("/a")))

        report(
            "declined redirect, with cookies", events,
            onLinux: "redirect 302 1, head 1, body 1, end 0 1")
    }

    @Test func declinedRedirectDuringAnUpload() async throws {
        let received = Locked(0)
        let server = try LoopbackServer.serving { connection in
            _ = try connection.head()
            try connection.skip(100_000)
            connection.write(LoopbackServer.response(302, ["Location: /b"], body: "moved"))
            let rest = connection.skipToEnd()
            received.withLock { $0 = 100_000 + rest }
        }
        var request = request(server.url("/a"), "POST")
        request.httpBody = Data(count: 50_000_000)

        let events = await DecliningDelegate().load(request)
        await server.stop()

        let end = received.withLock { $0 } < 50_000_000 ? "before" : "after"
        report("declined redirect", "\(events), \(end) the end of the upload", onLinux: nil)
    }

    #if canImport(Darwin)
    /// The proxy is on this machine, so nothing reaches the host, which browsers load only over https.
    @Test func upgradeToHTTPS() async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(404) }
        let proxy: [String: Any] = ["Enable": 1, "Proxy": "127.0.0.1", "Port": Int(server.port)]
        let configuration = URLSessionConfiguration.ephemeral
        configuration.connectionProxyDictionary = Dictionary(
            uniqueKeysWithValues: ["HTTP", "HTTPS"].flatMap { scheme in
                proxy.map { ("\(scheme)\($0)", $1) }
            })
        let url = try #require(URL(string: "http://github.com/"))

        let events = await DecliningDelegate().load(request(url), with: configuration)

        let lines = server.requests.map { $0.head.prefix { $0 != "\r\n" } }
        report("upgrade to https", "\(events); \(lines)", onLinux: nil)
    }
    #endif
}

/// A delegate that declines redirects, and records each event with the number of cookies at that moment.
private final class DecliningDelegate: NSObject, URLSessionDataDelegate {
    private let events = Locked<[String]>([])
    private let (end, ends) = AsyncStream.makeStream(of: Never.self)

    /// Loads a request, and returns the events.
    func load(
        _ request: URLRequest, with configuration: URLSessionConfiguration = .ephemeral
    ) async -> String {
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        session.dataTask(with: request).resume()
        for await _ in end {}
        return events.withLock { $0.joined(separator: ", ") }
    }

    private func record(_ event: String, in session: URLSession) {
        let cookies = session.configuration.httpCookieStorage?.cookies ?? []
        events.withLock { $0.append("\(event) \(cookies.count)") }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        record("redirect \(response.statusCode)", in: session)
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        record("head", in: session)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        record("body", in: session)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        record("end \((error as? URLError)?.code.rawValue ?? 0)", in: session)
        ends.finish()
    }
}
