import APIKitTesting
import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct UploadTests {
    /// The transports that can reach the mock server.
    enum Transport: CaseIterable { case session, server }

    let server = MockServer.current
    let directory: TemporaryDirectory
    let steps = Locked<[TransferProgress]>([])

    init() throws { directory = try TemporaryDirectory() }

    /// The session of the server, which writes copies of forms to the directory of the test.
    private var session: URLSessionTransport {
        URLSessionTransport(
            session: server.session, redirects: .follow, temporaryDirectory: directory.url)
    }

    /// The number of temporary copies of forms.
    var copies: Int {
        get throws { try directory.names.count { $0.hasPrefix("APIKit-") } }
    }

    /// Uploads a body, and records its progress.
    @discardableResult
    func upload(
        _ body: HTTPBody,
        over transport: Transport = .session,
        _ method: HTTPMethod = .post,
        headers: [String: String] = [:],
        interceptors: [any APIInterceptor] = [],
        observers: @escaping @Sendable (APICall) -> [any APIObserver] = { _ in [] }
    ) async throws -> String {
        let client = APIClient.make(
            transport: transport == .session ? session : server,
            interceptors: interceptors, observers: observers)
        let request = EchoRequest { try URLRequest(method, "albums/1", headers: headers) }
        return try await client.upload(request, from: body) { [steps] step in steps.append(step) }
    }

    @Test(arguments: Transport.allCases, UploadKind.allCases)
    func uploadSendsBodyAndReportsAllProgress(transport: Transport, kind: UploadKind) async throws {
        let route = server.on(.post("/v1/albums/1"), reply: .text("done"))
        let body = try kind.body(in: directory)
        let content = try body.data()

        let output = try await upload(body, over: transport)

        #expect(output == "done")
        #expect(route.requests.map(\.body) == [content])
        #expect(route.requests.first?.header("Content-Type") == body.contentType)
        #expect(
            steps.current.last
                == TransferProgress(completedBytes: content.count, totalBytes: content.count))
    }

    @Test(arguments: Transport.allCases, [UploadKind.data, .file])
    func progressHasTheStepsOfTheBody(transport: Transport, kind: UploadKind) async throws {
        server.on(.post("/v1/albums/1"), reply: .text("done"))

        try await upload(kind.body(in: directory, of: 230_000), over: transport)

        #expect(steps.current.map(\.completedBytes) == [65_536, 131_072, 196_608, 230_000])
        #expect(steps.current.allSatisfy { $0.totalBytes == 230_000 })
    }

    @Test func uploadSendsFilesOfForm() async throws {
        let route = server.on(.post("/v1/albums/1"))
        let file = try directory.file("Rex.txt", Data("woof".utf8))

        try await upload(.multipart(["name": "Rex", "photo": .file(file)]))

        let parts = try #require(route.requests.first).parts
        #expect(parts.map(\.name) == ["name", "photo"])
        #expect(parts.map(\.fileName) == [nil, "Rex.txt"])
        #expect(parts.map(\.text) == ["Rex", "woof"])
    }

    @Test func contentTypeOfRequestOverridesThatOfBody() async throws {
        let route = server.on(.post("/v1/albums/1"))

        try await upload(.data(Data("a".utf8)), headers: ["content-type": "image/x-dog"])

        #expect(route.requests.map { $0.header("Content-Type") } == ["image/x-dog"])
    }

    @Test(arguments: Transport.allCases, UploadKind.allCases)
    func redirectThatKeepsBodySendsItAgain(transport: Transport, kind: UploadKind) async throws {
        server.on(.post("/v1/albums/1"), reply: .redirect(to: "/v2", status: 307))
        let next = server.on(.post("/v2"), reply: .text("done"))
        let body = try kind.body(in: directory)

        let output = try await upload(body, over: transport)

        #expect(output == "done")
        #expect(next.requests.map(\.body) == [try body.data()])
        #expect(next.requests.map { $0.header("Content-Type") } == [body.contentType])
    }

    @Test(arguments: Transport.allCases, UploadKind.allCases)
    func redirectThatDropsBodySendsNoBody(transport: Transport, kind: UploadKind) async throws {
        server.on(.post("/v1/albums/1"), reply: .redirect(to: "/v2", status: 303))
        let next = server.on(.get("/v2"), reply: .text("done"))
        let body = try kind.body(in: directory)

        let output = try await upload(body, over: transport)

        #expect(output == "done")
        #expect(next.requests.map(\.body) == [Data()])
        #expect(next.requests.map { $0.header("Content-Type") } == [nil])
        #expect(steps.current.last?.fraction == 1)
    }

    @Test func observersReceiveRequestAndResponse() async throws {
        server.on(.post("/v1/albums/1"), reply: .text("done"))
        let observer = RecordingObserver(events: Locked([]))

        try await upload(.data(Data("a".utf8)), observers: { _ in [observer] })

        #expect(
            observer.events.current == [
                "started", "sent 1: /v1/albums/1", "received 1: 200", "succeeded: done",
            ])
    }

    /// A transport that reports its progress backwards and concurrently.
    private struct ConfusedTransport: HTTPTransport {
        func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
            (Data(), try HTTPURLResponse.make())
        }

        func upload(
            _ request: URLRequest, from body: HTTPBody,
            progress: @escaping @Sendable (TransferProgress) -> Void
        ) async throws -> (Data, URLResponse) {
            await withTaskGroup(of: Void.self) { group in
                for count in (0...1000).reversed() {
                    group.addTask {
                        progress(TransferProgress(completedBytes: count, totalBytes: 1000))
                    }
                }
            }
            return try await send(request)
        }
    }

    @Test @MainActor func progressIsReportedOnTheActorOfItsClosure() async throws {
        server.on(.any, reply: .text("ok"))
        let client = APIClient.make(transport: server.session)
        let body = HTTPBody.data(Data(count: 300_000))
        var steps: [TransferProgress] = []

        try await client.upload(EchoRequest { try URLRequest(.post, "echo") }, from: body) {
            @MainActor in steps.append($0)
        }

        #expect(steps.map(\.completedBytes) == steps.map(\.completedBytes).sorted())
        #expect(steps.count > 1)
        #expect(steps.last == TransferProgress(completedBytes: 300_000, totalBytes: 300_000))
    }

    @Test func progressIncreasesAndIsReportedSerially() async throws {
        let (steps, depth) = (steps, Locked(0))
        let client = APIClient.make(transport: ConfusedTransport())

        for _ in 0..<20 {
            steps.set([])
            let request = EchoRequest { try URLRequest(.post, "a") }
            _ = try await client.upload(request, from: .data(Data())) { step in
                depth.increment()
                steps.append(step)
                #expect(depth.current == 1)
                depth.withLock { $0 -= 1 }
            }

            let counts = steps.current.map(\.completedBytes)
            #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 })
            #expect(counts.last == 1000)
        }
    }
}
