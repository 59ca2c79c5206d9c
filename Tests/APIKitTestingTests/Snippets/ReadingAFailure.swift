import APIKit
import APIKitTesting
import Foundation
import Testing

/// The article shows the messages of real failures.
@Suite struct ReadingAFailureTests {
    let server = MockServer()
    let rex = Dog(id: 1, name: "Rex")

    private var patch: DogPatch { DogPatch(session: server.session) }

    private func article(_ name: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let articles = root.appending(path: "Sources/APIKitTesting/APIKitTesting.docc/Articles")
        return try String(contentsOf: articles.appending(path: name), encoding: .utf8)
    }

    /// Expects the article to show a message as a terminal does, with the source location replaced.
    private func expectShown(
        _ message: String?, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let page = try article("reading-a-failure.md")
        let text = try #require(message).replacing("\n", with: "\n  ")
            .replacing(#/\w+\.swift:\d+/#, with: "DogPatchTests.swift:12")

        #expect(
            page.contains("↳ \(text)\n"), "The page does not show:\n↳ \(text)",
            sourceLocation: sourceLocation)
    }

    private func unhandledMessage(_ body: () async throws -> Void) async throws -> String? {
        await #expect(throws: APIError.self) { try await body() }
        return server.failures.first?.message
    }

    @Test func unmatchedRequestNamesTheClosestRoute() async throws {
        // snippet.unmatched
        server.on(.post("/v1/dogs").json(Dog(id: 1, name: "Max")), reply: .status(201))
        // snippet.end

        try expectShown(try await unhandledMessage { try await patch.add(rex) })
    }

    @Test func requestThatIsCloseToNoRouteListsTheRoutes() async throws {
        // snippet.distant
        server.on(.get("/v1/breeds"), reply: .json(["akita"]))
        server.on(.post("/v1/visits"), reply: .status(201))
        // snippet.end

        try expectShown(try await unhandledMessage { _ = try await patch.dogs(of: "akita") })
    }

    @Test func alternativesShowTheRequest() async throws {
        // snippet.alternatives
        server.on(.put("/v1/dogs") || .patch("/v1/dogs"), reply: .status(201))
        // snippet.end

        try expectShown(try await unhandledMessage { try await patch.add(rex) })
    }

    @Test func currentServerNeedsTheTrait() throws {
        let messages = Locked<[String]>([])

        withKnownIssue {
            _ = MockServer.current
        } matching: { issue in
            messages.withLock { $0 += issue.comments.map(\.rawValue) }
            return true
        }

        try expectShown(messages.withLock { $0.first })
    }

    @Test func errorOfAServerThatNothingVerifiesHasAHint() async throws {
        let error = await #expect(throws: UnhandledRequestError.self) {
            try await server.send(URLRequest(url: URL(filePath: "/v1/dogs")))
        }

        let hint = try #require(error?.description.split(separator: "\n").last)
        #expect(try article("reading-a-failure.md").contains("\n```text\n\(hint)\n```\n"))
    }

    @Test func articleShowsNoOtherMessage() throws {
        let blocks = try article("reading-a-failure.md").components(separatedBy: "↳ ").dropFirst()

        // One for each test of this suite that expects a message to be shown.
        #expect(blocks.count == 11)
    }

    @Test func requestWithoutRoutesSuggestsARoute() async throws {
        try expectShown(try await unhandledMessage { _ = try await patch.dogs(of: "akita") })
    }

    @Test func routeAtItsLimitIsNamed() async throws {
        // snippet.limit
        server.on(.get("/v1/dogs"), reply: .json([rex]), times: .once)
        // snippet.end

        _ = try await patch.dogs(of: "akita")
        try expectShown(try await unhandledMessage { _ = try await patch.dogs(of: "akita") })
    }

    @Test func forbiddenRequestNamesItsRoute() async throws {
        server.on(.get("/v1/dogs"), times: 0)

        try expectShown(try await unhandledMessage { _ = try await patch.dogs(of: "akita") })
    }

    @Test func unusedRouteIsReported() throws {
        server.on(.get("/v1/dogs"), reply: .json([rex]))

        try expectShown(server.failures.first?.message)
    }

    @Test func unusedReplyIsReported() async throws {
        server.on(.get("/v1/dogs"), reply: .json([rex]), .status(503), .status(503))

        _ = try await patch.dogs(of: "akita")
        try expectShown(server.failures.first?.message)
    }

    @Test func wrongCountListsTheRequests() async throws {
        server.on(.any, reply: .json([rex]))
        _ = try await patch.dogs(of: "akita")
        _ = try await patch.dogs(of: "boxer")
        let messages = Locked<[String]>([])

        withKnownIssue {
            server.verify(.get("/v1/dogs"))
        } matching: { issue in
            messages.withLock { $0 += issue.comments.map(\.rawValue) }
            return true
        }

        try expectShown(messages.withLock { $0.first })
    }

    @Test func missingRequestIsReportedAfterTheLimit() async throws {
        let error = await #expect(throws: TestFailure.self) {
            try await server.nextRequest(.post("/v1/dogs"), within: .milliseconds(10))
        }

        try expectShown(error?.message.replacing("0.01 seconds", with: "2.0 seconds"))
    }
}
