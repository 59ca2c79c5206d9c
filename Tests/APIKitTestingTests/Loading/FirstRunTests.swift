import APIKit
import APIKitTesting
import Foundation
import Testing

/// What no other test asks a system: `.ci/first-run` prints the answers.
///
/// They run only for that command. Linux has one answer to each question, which the tests expect. For other
/// systems they expect nothing, so that one answer hides no other.
@Suite(
    .inTurn, .timeLimit(.minutes(10)),
    .enabled(if: ProcessInfo.processInfo.environment["FIRST_RUN"] != nil))
struct FirstRunTests {
    /// Prints an answer for `.ci/first-run`.
    func report(_ question: String, _ answer: String, onLinux expected: String?) {
        print("FirstRun \(question): \(answer)")
        #if os(Linux)
        if let expected { #expect(answer == expected) }
        #endif
    }

    /// The status and the body of a response, or the code of an error.
    func answer(
        _ load: () async throws -> (Data, URLResponse)
    ) async -> String {
        do {
            let (data, response) = try await load()
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            return "\(status) \(String(decoding: data.prefix(40), as: UTF8.self))"
        } catch let error as URLError {
            return "URLError \(error.code.rawValue)"
        } catch {
            return "\(type(of: error))"
        }
    }

    func request(_ url: URL, _ method: String = "GET") -> URLRequest {
        var request = URLRequest(url: url, timeoutInterval: 20)
        request.httpMethod = method
        return request
    }

    static func serial() -> URLSession { URLSession(configuration: .ephemeral) }

    @Test func bodyAfterA307() async throws {
        let server = try LoopbackServer { request in
            request.path == "/a"
                ? LoopbackServer.response(307, ["Location: /b"], body: "moved")
                : LoopbackServer.response(200, body: "got \(request.body)")
        }
        let directory = try TemporaryDirectory()
        let file = try directory.file("rex", Data("Rex".utf8))
        let session = Self.serial()
        for (name, body) in [("data", HTTPBody.data(Data("Rex".utf8))), ("file", .file(file))] {
            let answer = await answer {
                try await session.upload(request(server.url("/a"), "POST"), from: body) { _ in }
            }
            report("307 of an upload of \(name)", answer, onLinux: "200 got Rex")
        }
        var stream = request(server.url("/a"), "POST")
        stream.httpBodyStream = InputStream(data: Data("Rex".utf8))
        stream.setValue("3", forHTTPHeaderField: "Content-Length")
        let answer = await answer { [stream] in try await session.send(stream) }
        report("307 of an upload of a stream", answer, onLinux: "307 moved")
    }

    @Test func headWithoutAType() async throws {
        let hasHead = DispatchSemaphore(value: 0)
        let waited = Locked(Bool?.none)
        let server = try LoopbackServer { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\n")
            let isLate = hasHead.wait(timeout: .now() + 10) == .timedOut
            waited.withLock { $0 = isLate }
            connection.write("Rex")
        }

        let (stream, _) = try await Self.serial().stream(request(server.url("/")))
        hasHead.signal()
        _ = try await stream.data()

        let isLate = waited.withLock { $0 } == true
        report("head without a type", isLate ? "with its body" : "at once", onLinux: "at once")
    }

    @Test(arguments: ["main", "concurrent"])
    func chunksOnAQueue(name: String) async throws {
        let queue = name == "main" ? OperationQueue.main : OperationQueue()
        let numbers = (0..<100_000).map { String(format: "%05d ", $0) }
        let server = try LoopbackServer { _, connection in
            connection.write(LoopbackServer.head())
            for number in numbers { connection.write(number) }
        }
        let session = URLSession(configuration: .ephemeral, delegate: nil, delegateQueue: queue)

        let received = try await session.send(request(server.url("/"))).0

        let expected = Data(numbers.joined().utf8)
        let answer =
            received == expected
            ? "in order"
            : received.count == expected.count ? "reordered" : "\(received.count) bytes"
        report("100,000 chunks on the queue \(name)", answer, onLinux: "in order")
    }

    @Test func mockInTheNewLoadingMode() async throws {
        let server = MockServer { _ in .text("Rex") }
        let configuration = URLSessionConfiguration.ephemeral
        server.install(in: configuration)
        #if !canImport(FoundationNetworking)
        if #available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *) {
            configuration.usesClassicLoadingMode = false
        }
        #endif
        let url = try #require(URL(string: "https://example.com/"))

        let answer = await answer {
            try await URLSession(configuration: configuration).send(request(url))
        }

        report("mock in the new loading mode", answer, onLinux: "200 Rex")
    }

    @Test func mockTaskThatIsSuspendedAtOnce() async throws {
        let server = MockServer { _ in .text("Rex") }
        let url = try #require(URL(string: "https://example.com/"))
        let (answers, answer) = AsyncStream.makeStream(of: String.self)
        let isEarly = Locked(true)
        let wasEarly = Locked(false)
        let task = server.session.dataTask(with: request(url)) { data, _, _ in
            wasEarly.withLock { $0 = isEarly.withLock { $0 } }
            answer.yield(String(decoding: data ?? Data(), as: UTF8.self))
            answer.finish()
        }

        task.resume()
        task.suspend()
        // A load that started later has completed.
        _ = try await server.session.send(request(url))
        isEarly.withLock { $0 = false }
        task.resume()

        let text = await answers.first { _ in true } ?? "nothing"
        let when = wasEarly.withLock { $0 } ? "while suspended" : "after its second start"
        report("suspended mock task", "\(text) \(when)", onLinux: "Rex after its second start")
    }

    @Test func chunkedBodyWithoutItsEnd() async throws {
        let server = try LoopbackServer { _, connection in
            connection.write(LoopbackServer.head(200, ["Transfer-Encoding: chunked"]))
            connection.write("3\r\nRex\r\n")
        }

        let answer = await answer { try await Self.serial().send(request(server.url("/"))) }

        report("chunked body without its end", answer, onLinux: "URLError -1005")
    }

    @Test func environmentVariableCI() {
        let value = ProcessInfo.processInfo.environment["CI"] ?? "none"
        report("variable CI in a test", value, onLinux: nil)
    }
}
