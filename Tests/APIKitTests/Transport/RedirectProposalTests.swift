import APIKitTesting
import Foundation
import Testing

@testable import APIKit

/// The request that follows a redirect, for what a session of Apple platforms proposes: a request
/// without a body, and sometimes with another method.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct RedirectProposalTests {
    private static let body = Data("woof".utf8)

    /// What becomes of a request with a body after a redirect.
    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        let method: HTTPMethod
        let next: HTTPMethod
        let keepsBody: Bool

        var testDescription: String { "\(method) \(status)" }

        static let all = [
            Row(status: 307, method: .post, next: .post, keepsBody: true),
            Row(status: 301, method: .put, next: .put, keepsBody: true),
            Row(status: 302, method: .delete, next: .delete, keepsBody: true),
            Row(status: 303, method: .head, next: .head, keepsBody: false),
            Row(status: 302, method: .post, next: .get, keepsBody: false),
        ]
    }

    @Test(arguments: Row.all, [HTTPMethod.get, nil])
    func ruleDecidesMethodAndBody(row: Row, proposed: HTTPMethod?) async throws {
        let sent = try URLRequest.make(
            row.method.rawValue, headers: ["Content-Type": "text/plain"],
            body: row.method == .head ? nil : Self.body)

        let next = try #require(
            await follow(row.status, sent, proposing: .make((proposed ?? row.method).rawValue)))

        #expect(next.method == row.next)
        #expect(next.httpBody == (row.keepsBody ? Self.body : nil))
        let hasType = row.keepsBody || row.method == .head
        #expect((next.value(forHTTPHeaderField: "Content-Type") != nil) == hasType)
    }

    @Test(arguments: [true, false], [HTTPMethod.get, .post])
    func uploadIsSentAgain(isFile: Bool, proposed: HTTPMethod) async throws {
        let folder = try TemporaryDirectory()
        let source = isFile ? try Self.file(in: folder) : .data(Self.body)
        let upload = upload(source)

        let next = try #require(
            await follow(307, .make("POST"), upload, proposing: .make(proposed.rawValue)))

        #expect(next.method == .post)
        #expect(try next.bodyBytes() == Self.body)
        let length = next.value(forHTTPHeaderField: "Content-Length")
        #expect(length == (isFile ? "4" : nil))
    }

    @Test func uploadThatBecomesAGETIsDropped() async throws {
        let folder = try TemporaryDirectory()
        let upload = upload(try Self.file(in: folder))

        let next = try #require(await follow(303, .make("POST"), upload, proposing: .make("GET")))

        #expect(next.method == .get)
        #expect(try next.bodyBytes().isEmpty)
    }

    @Test func secondRedirectOfAnUploadIsFollowed() async throws {
        let folder = try TemporaryDirectory()
        let load = try Started(.make("POST"), upload(Self.file(in: folder)))

        for _ in 0..<2 {
            let next = try #require(await load.follow(307, proposing: .make("POST")))
            #expect(try next.bodyBytes() == Self.body)
        }
    }

    @Test(arguments: [true, false])
    func originDecidesCredentials(proposalHasThem: Bool) async throws {
        let headers = ["Authorization": "Bearer t", "Cookie": "a=b", "X-Trace": "1"]
        let proposed = proposalHasThem ? headers : [:]
        let sent = try URLRequest.make(headers: headers)

        let same = try await follow(302, sent, proposing: .make(headers: proposed))
        let other = try await follow(
            302, sent, proposing: .make("GET", "https://other.example/", headers: proposed))

        #expect(same?.allHTTPHeaderFields == headers)
        #expect(other?.allHTTPHeaderFields == ["X-Trace": "1"])
    }

    /// The system may have a policy for the host, such as HSTS.
    @Test func urlOfTheProposalIsUsed() async throws {
        let next = try await follow(
            302, .make("GET", "http://dogs.example/"),
            proposing: .make("GET", "https://dogs.example/next"))

        #expect(next?.url?.absoluteString == "https://dogs.example/next")
    }

    @Test func fileThatHasGrownIsNotSentAgain() async throws {
        let folder = try TemporaryDirectory()
        let load = try Started(.make("POST"), upload(Self.file(in: folder)))

        _ = try folder.file("dog", Data("a longer text".utf8))

        #expect(try await load.follow(307, proposing: .make("POST")) == nil)
    }

    /// The delegate may follow with the request that it received, at another host.
    @Test func delegateTakesNoCredentialsToAnotherOrigin() async throws {
        let delegate = RedirectDelegate { request in
            var other = request
            other.url = URL(string: "https://mirror.example/")
            other.setValue("own", forHTTPHeaderField: "Cookie")
            return other
        }
        let sent = try URLRequest.make(
            headers: [
                "Authorization": "Bearer t", "Cookie": "a=b", "X-Ticket": "q8Zt3kLw9Xv2Rb7Nc1Ym",
                "Referer": "https://api.example.com/",
            ])
        let load = try Started(sent, session: .plain(delegate: delegate))

        let next = try await load.follow(302, proposing: .make())

        #expect(next?.allHTTPHeaderFields == ["Cookie": "own"])
    }

    /// A session of Apple platforms adds its header fields to a request that does not have them.
    @Test func secretFieldsOfSessionAreHidden() throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = [
            "Authorization": "Bearer t", "X-Ticket": "q8Zt3kLw9Xv2Rb7Nc1Ym", "X-Trace": "1",
        ]
        var request = try URLRequest.make(headers: ["Authorization": "own"])

        request.hideCredentials(of: configuration)

        #expect(request.allHTTPHeaderFields == ["Authorization": "own", "X-Ticket": ""])
    }

    /// A delegate may decide about a redirect after the call has been canceled.
    @Test func completedLoadSendsNoFurtherRequest() async throws {
        let load = try Started(.make()).load

        load.cancel()
        load.send(try .make(), uploading: nil)
        await withCheckedContinuation { done in Load.queue.async { done.resume() } }

        #expect(load.state.withLock { $0.task } == nil)
    }

    private static func file(in folder: TemporaryDirectory) throws -> HTTPBody.Piece {
        .file(try folder.file("dog", body))
    }

    private func upload(_ source: HTTPBody.Piece) -> URLSessionTransport.Upload {
        URLSessionTransport.Upload(source: source, size: Self.body.count) { _ in }
    }

    private func follow(
        _ status: Int, _ request: URLRequest, _ upload: URLSessionTransport.Upload? = nil,
        proposing proposal: URLRequest
    ) async throws -> URLRequest? {
        try await Started(request, upload).follow(status, proposing: proposal)
    }
}

/// A load with a task that is not resumed, so that a test decides about its events.
private final class Started: Sendable {
    let load: Load
    private let task: URLSessionTask

    init(
        _ request: URLRequest, _ upload: URLSessionTransport.Upload? = nil,
        session: URLSession = .plain(), redirects: RedirectPolicy = .follow
    ) throws {
        let transport = URLSessionTransport(session: session, redirects: redirects)
        load = try Load(request, by: transport, upload, streams: true)
        task = load.tasks.makeTask(for: request, sending: upload, to: load)
        load.state.withLock { [task] in $0.task = task }
    }

    deinit { load.cancel() }

    /// Passes a redirect to the load, and returns the request that follows it.
    func follow(_ status: Int, proposing proposal: URLRequest) async throws -> URLRequest? {
        let url = load.state.withLock { $0.request.url }
        let response = try HTTPURLResponse.make(
            status, url: #require(url).absoluteString, headers: ["Location": "/"])
        let decision = Waiter<URLRequest?>()
        load.redirect(task, after: response, to: proposal) { decision.answer(.success($0)) }
        return try await decision.value
    }
}

extension URLRequest {
    /// Reads the body, which is empty if the request has none.
    fileprivate func bodyBytes() throws -> Data {
        if let httpBody { return httpBody }
        guard let stream = httpBodyStream else { return Data() }
        stream.open()
        defer { stream.close() }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = stream.read(&buffer, maxLength: buffer.count)
        return Data(buffer.prefix(max(0, count)))
    }
}
