import APIKit
import Foundation
import Testing

/// Tests of the same client over another networking library.
@Suite struct OtherLibraryTests {
    let post = Post(id: 7, topic: "cycles", text: "Sleep helps.")

    @Test func postsAreLoaded() async throws {
        let json = try JSONEncoder().encode([post])
        let library = OtherLibrary.Client { request in
            #expect(request.method == "GET")
            #expect(request.url == "https://forum.example/v2/posts?topic=cycles")
            return OtherLibrary.Response(body: [UInt8](json))
        }

        #expect(try await ForumClient(transport: library).posts(about: "cycles") == [post])
    }

    @Test func draftIsPublished() async throws {
        let json = try JSONEncoder().encode(post)
        let draft = PostDraft(topic: "cycles", text: "Sleep helps.")
        let library = OtherLibrary.Client { request in
            #expect(request.method == "POST")
            #expect(request.headers["Content-Type"] == "application/json")
            let sent = try JSONDecoder().decode(PostDraft.self, from: Data(request.body))
            #expect(sent == draft)
            return OtherLibrary.Response(status: 201, body: [UInt8](json))
        }

        #expect(try await ForumClient(transport: library).publish(draft) == post)
    }

    @Test func refusalThrowsItsStatus() async {
        let library = OtherLibrary.Client { _ in OtherLibrary.Response(status: 403) }

        let error = await #expect(throws: APIError.self) {
            try await ForumClient(transport: library).posts(about: "cycles")
        }

        #expect(error?.kind == .status(403))
    }

    @Test func errorOfTheLibraryIsTheUnderlyingError() async {
        struct NoRoute: Error {}
        let library = OtherLibrary.Client { _ in throw NoRoute() }

        let error = await #expect(throws: APIError.self) {
            try await ForumClient(transport: library).posts(about: "cycles")
        }

        #expect(error?.kind == .transport)
        #expect(error?.underlying is NoRoute)
    }
}
