import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer) struct OHHTTPStubsSnippets {
    let server = MockServer.current

    @Test func routeReplacesAStub() async throws {
        // snippet.stub
        server.on(
            .get("/v1/dogs").host("api.example.com").query("breed", "akita"),
            reply: .json([Dog(id: 1, name: "Rex")]))
        // snippet.end

        #expect(try await DogPatch(session: server.session).dogs(of: "akita").count == 1)
    }
}
