import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer) struct MockerSnippets {
    let server = MockServer.current

    @Test func routeReplacesAMock() async throws {
        // snippet.mock
        let dogs = server.on(.get("/v1/dogs"), reply: .json([Dog(id: 1, name: "Rex")]))
        let patch = DogPatch(session: server.session)

        #expect(try await patch.dogs(of: "akita").count == 1)
        #expect(dogs.requests.first?.url.query == "breed=akita")
        // snippet.end
    }
}
