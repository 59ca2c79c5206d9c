import APIKit
import APIKitTesting
import Foundation
import Testing

/// The page shows the message of a real failure.
@Suite struct MessagesSnippetTests {
    let server = MockServer()

    @Test func pageShowsTheMessageOfAnUnhandledRequest() async throws {
        // snippet.unmatched
        server.on(.post("/v1/dogs").json(Dog(id: 1, name: "Max")), reply: .status(201))
        // snippet.end

        await #expect(throws: APIError.self) {
            try await DogPatch(session: server.session).add(Dog(id: 1, name: "Rex"))
        }

        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let articles = root.appending(path: "Sources/APIKitTesting/APIKitTesting.docc/Articles")
        let page = try String(contentsOf: articles.appending(path: "messages.md"), encoding: .utf8)
        // A terminal indents the lines after the first.
        let message = try #require(server.failures.first?.message).replacing("\n", with: "\n  ")
            .replacing(#/\w+\.swift:\d+/#, with: "DogTests.swift:12")
        #expect(page.contains("↳ \(message)\n"), "The page does not show:\n↳ \(message)")
    }
}
