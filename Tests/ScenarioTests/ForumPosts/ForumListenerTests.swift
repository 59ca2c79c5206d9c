import APIKit
import APIKitTesting
import Foundation
import Testing

/// Tests of the listener: the events that the rest of the app receives.
@Suite(.mockServer) struct ForumListenerTests {
    let server = MockServer.current
    let post = Post(id: 7, topic: "cycles", text: "Sleep helps.")
    let draft = PostDraft(topic: "cycles", text: "Sleep helps.")

    @Test func loadedPostsAreReported() async {
        server.on(.get("/v2/posts"), reply: .json([post]))

        let events = await events { _ = try? await $0.posts(about: "cycles") }

        #expect(events.map(\.posts) == [[post]])
    }

    @Test func publishedPostIsReported() async {
        server.on(.post("/v2/posts"), reply: .json(post, status: 201))

        let events = await events { _ = try? await $0.publish(draft) }

        #expect(events.map(\.post) == [post])
    }

    @Test(arguments: ["", "{", #"[{"id": "seven"}]"#])
    func postsThatDoNotDecodeAreReportedAsAFailure(body: String) async {
        server.on(.get("/v2/posts"), reply: .text(body))

        let events = await events { _ = try? await $0.posts(about: "cycles") }

        #expect(events.map(\.error?.kind) == [.decoding])
    }

    @Test(arguments: ["", "{", #"{"id": "seven"}"#])
    func publishedPostThatDoesNotDecodeIsReportedAsAFailure(body: String) async {
        server.on(.post("/v2/posts"), reply: .text(body, status: 201))

        let events = await events { _ = try? await $0.publish(draft) }

        #expect(events.map(\.error?.kind) == [.decoding])
    }

    @Test func successIsAnnouncedOnlyAfterParsing() async {
        server.on(.get("/v2/posts"), reply: .text("{"))
        let recorder = CallRecorder()
        let forum = ForumClient(transport: server.session) { _ in [recorder] }

        await #expect(throws: APIError.self) { try await forum.posts(about: "cycles") }

        #expect(
            recorder.steps == [
                .callStarted, .requestSent(attempt: 1), .responseReceived(status: 200, attempt: 1),
                .callFailed,
            ])
    }

    @Test func refusalIsReportedWithItsBody() async throws {
        server.on(
            .post("/v2/posts"), reply: .json(["reason": "This topic is closed."], status: 403))

        let events = await events { _ = try? await $0.publish(draft) }

        let error = try #require(events.first?.error)
        #expect(try error.decodeBody([String: String].self)["reason"] == "This topic is closed.")
        #expect(events.count == 1)
    }

    @Test func lostConnectionIsReported() async {
        server.on(.get("/v2/posts"), reply: .failure(.networkConnectionLost))

        let events = await events { _ = try? await $0.posts(about: "cycles") }

        #expect(events.map(\.error?.kind) == [.transport])
    }

    @Test func eachCallHasItsOwnListener() async {
        server.on(.get("/v2/posts"), reply: .json([post]))
        server.on(.post("/v2/posts"), reply: .json(post, status: 201))

        let events = await events { forum in
            _ = try? await forum.posts(about: "cycles")
            _ = try? await forum.publish(draft)
        }

        #expect(events.map(\.posts) == [[post], nil])
        #expect(events.map(\.post) == [nil, post])
    }

    @Test func emptyResponseOfAnotherRequestIsNotReported() async throws {
        server.on(.get("/v2/topics"), reply: .json([String]()))
        server.on(.get("/v2/posts"), reply: .json([post]))
        let (events, reported) = AsyncStream.makeStream(of: ForumEvent.self)
        let client = APIClient(
            baseURL: URL(string: "https://forum.example/v2"), transport: server.session,
            observers: { call in [ForumListener(call) { reported.yield($0) }] })

        #expect(try await client.load(TopicsRequest()) == [])
        _ = try await client.load(PostsRequest(), with: "cycles")
        reported.finish()

        #expect(await events.reduce(into: []) { $0.append($1.posts) } == [[post]])
    }

    @Test func listenersReportInTheirOrder() async {
        server.on(.get("/v2/posts"), reply: .json([post]))
        server.on(.post("/v2/posts"), reply: .status(403))
        let (names, reported) = AsyncStream.makeStream(of: String.self)
        let forum = ForumClient(transport: server.session) { call in
            [
                ForumListener(call) { _ in reported.yield("first") },
                ForumListener(call) { _ in reported.yield("second") },
            ]
        }

        _ = try? await forum.posts(about: "cycles")
        _ = try? await forum.publish(draft)
        reported.finish()

        let order = await names.reduce(into: []) { $0.append($1) }
        #expect(order == ["first", "second", "first", "second"])
    }

    /// Returns the events that the listeners report during calls to the forum.
    private func events(during calls: (ForumClient) async -> Void) async -> [ForumEvent] {
        let (events, reported) = AsyncStream.makeStream(of: ForumEvent.self)
        await calls(
            ForumClient(transport: server.session) { call in
                [ForumListener(call) { reported.yield($0) }]
            })
        reported.finish()
        return await events.reduce(into: []) { $0.append($1) }
    }
}

/// Requests the names of the topics.
private struct TopicsRequest: APIRequest {
    typealias ResponseDataType = [String]

    func makeRequest(from data: Void) throws -> URLRequest {
        try URLRequest(.get, "topics")
    }
}

extension ForumEvent {
    fileprivate var posts: [Post]? {
        if case .loaded(.success(let posts)) = self { posts } else { nil }
    }

    fileprivate var post: Post? {
        if case .published(.success(let post)) = self { post } else { nil }
    }

    fileprivate var error: APIError? {
        switch self {
        case .loaded(.failure(let error)), .published(.failure(let error)): error as? APIError
        default: nil
        }
    }
}
